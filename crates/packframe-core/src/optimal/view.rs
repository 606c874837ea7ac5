//! The classes of a problem where some units are settled and bonds have a price.

use super::compile::Compiled;

/// What was settled about a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fix {
    Free,
    In,
    Out,
}

/// One option of a class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opt {
    pub(super) tokens: i64,
    pub(super) worth: i128,
    /// The combination that it is.
    pub(super) combo: u32,
}

/// A class: a part of all options, each longer and worth more than the one before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    pub(super) room: Option<u32>,
    pub(super) opts: (u32, u32),
}

/// Classes and their options.
#[derive(Debug, Clone, Default)]
pub(super) struct View {
    pub(super) classes: Vec<Class>,
    pub(super) opts: Vec<Opt>,
}

impl View {
    /// Returns what is left to choose; `None` where what was settled leaves nothing.
    ///
    /// `extra` is what each unit is worth more, for the prices of bonds; empty for none.
    pub(super) fn of(compiled: &Compiled, fixes: &[Fix], extra: &[i128]) -> Option<Self> {
        let mut view = Self {
            classes: Vec::with_capacity(compiled.heads.len()),
            opts: Vec::with_capacity(compiled.combos.len()),
        };
        let mut wanted: Vec<u32> = Vec::new();
        if fixes.contains(&Fix::In) {
            wanted = vec![0; compiled.heads.len()];
            for (wanted, head) in wanted.iter_mut().zip(&compiled.heads) {
                let mut units: Vec<u32> = (head.combos.0..head.combos.1)
                    .flat_map(|combo| compiled.picks(combo))
                    .map(|pick| pick.0)
                    .filter(|&unit| fixes[unit as usize] == Fix::In)
                    .collect();
                units.sort_unstable();
                units.dedup();
                *wanted = super::compile::number(units.len());
            }
        }
        for (at, head) in compiled.heads.iter().enumerate() {
            let start = super::compile::number(view.opts.len());
            let wanted = wanted.get(at).copied().unwrap_or(0);
            let mut best = i128::MIN;
            for number in head.combos.0..head.combos.1 {
                let combo = &compiled.combos[number as usize];
                let mut worth = combo.worth;
                if head.is_linked {
                    let mut count = 0;
                    let mut is_out = false;
                    for &(unit, _) in compiled.picks(number) {
                        let fix = fixes[unit as usize];
                        count += u32::from(fix == Fix::In);
                        is_out |= fix == Fix::Out;
                        worth += extra.get(unit as usize).copied().unwrap_or(0);
                    }
                    if is_out || count < wanted {
                        continue;
                    }
                }
                if worth <= best {
                    continue;
                }
                best = worth;
                let opt = Opt {
                    tokens: combo.tokens,
                    worth,
                    combo: number,
                };
                match view.opts[start as usize..].last_mut() {
                    Some(last) if last.tokens == opt.tokens => *last = opt,
                    _ => view.opts.push(opt),
                }
            }
            let end = super::compile::number(view.opts.len());
            if start == end {
                return None;
            }
            view.classes.push(Class {
                room: head.room,
                opts: (start, end),
            });
        }
        Some(view)
    }

    pub(super) fn opts(&self, class: usize) -> &[Opt] {
        let (start, end) = self.classes[class].opts;
        &self.opts[start as usize..end as usize]
    }
}
