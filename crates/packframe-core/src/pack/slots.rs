//! The order of a rendering, and what stands between two of its parts.

use std::collections::HashMap;

use super::division::{Division, IMPLICIT};
use super::groups::Groups;
use super::options::PackOptions;
use super::select::descending;
use super::standing::Standing;
use crate::frame::Frame;
use crate::rendering::Piece;
use crate::word::{Layout, Render};

/// Every row and header that a rendering may have, in order. A slot is a place in that order.
#[derive(Debug)]
pub(crate) struct Slots {
    /// `None` where slots are rows.
    order: Option<Order>,
    rows: usize,
    separator: String,
    /// Whether what is in a slot is a part of a text, where its section does not say.
    is_text: bool,
}

#[derive(Debug)]
struct Order {
    slots: Vec<Slot>,
    of_row: Vec<u32>,
    /// Of each section, the slot of its header.
    headers: Vec<Option<u32>>,
    /// Of each section, its header and separator; empty where `separator` joins all.
    sections: Vec<(Option<String>, String)>,
    /// Of each section, whether its items are parts of a text; empty where they are alike.
    joins: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    section: u32,
    /// `None` for the header.
    row: Option<u32>,
}

impl Slots {
    /// Puts the rows of a frame in order.
    ///
    /// O(n log n) for a layout other than the input's.
    pub(crate) fn of(
        frame: &Frame,
        groups: &Groups,
        division: &Division,
        options: &PackOptions,
    ) -> Self {
        let order = match options.layout {
            Layout::Input => None,
            Layout::Section => Some(by_section(frame, groups, division, options)),
            Layout::Score => Some(rows_only(by_score(frame, groups))),
            Layout::Stable => Some(rows_only(stable(frame, options))),
        };
        Self {
            order,
            rows: frame.len(),
            separator: options.separator.clone(),
            is_text: options.render() == Render::Text,
        }
    }

    /// Says whether what is in a slot is a part of a text; else it is a message.
    pub(crate) fn joins(&self, slot: usize) -> bool {
        self.order
            .as_ref()
            .filter(|order| !order.joins.is_empty())
            .map_or(self.is_text, |order| {
                order.joins[order.slots[slot].section as usize]
            })
    }

    /// Returns those of some slots that are parts of a text.
    pub(crate) fn parts<'a>(&'a self, slots: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        slots.iter().copied().filter(|&slot| self.joins(slot))
    }

    /// Returns the number of slots.
    pub(crate) fn len(&self) -> usize {
        self.order
            .as_ref()
            .map_or(self.rows, |order| order.slots.len())
    }

    /// Returns the slot of a row.
    pub(crate) fn of_row(&self, row: usize) -> usize {
        self.order
            .as_ref()
            .map_or(row, |order| order.of_row[row] as usize)
    }

    /// Returns the row in a slot; `None` for a header.
    pub(crate) fn row(&self, slot: usize) -> Option<usize> {
        match &self.order {
            None => Some(slot),
            Some(order) => order.slots[slot].row.map(|row| row as usize),
        }
    }

    /// Returns the header in a slot.
    pub(crate) fn header(&self, slot: usize) -> &str {
        self.order
            .as_ref()
            .and_then(|order| {
                let section = order.slots[slot].section as usize;
                order.sections.get(section)?.0.as_deref()
            })
            .unwrap_or("")
    }

    /// Returns the slot of a section's header, if it has one that is shown.
    pub(crate) fn header_of(&self, section: usize) -> Option<usize> {
        let order = self.order.as_ref()?;
        order.headers.get(section)?.map(|slot| slot as usize)
    }

    /// Returns what stands between what is in two slots that follow each other.
    pub(crate) fn gap(&self, before: usize, behind: usize) -> &str {
        if let Some(order) = &self.order {
            let section = order.slots[before].section;
            if section == order.slots[behind].section
                && let Some((_, separator)) = order.sections.get(section as usize)
            {
                return separator;
            }
        }
        &self.separator
    }

    /// Returns everything that may stand before or behind what is in a slot.
    pub(crate) fn gaps(&self, slot: usize) -> (&str, Option<&str>) {
        let inner = self.order.as_ref().and_then(|order| {
            let section = order.slots[slot].section as usize;
            order.sections.get(section).map(|(_, inner)| inner.as_str())
        });
        (
            &self.separator,
            inner.filter(|inner| *inner != self.separator),
        )
    }

    /// Returns what is in the pack, in order: the rows, and the headers of sections that have some.
    pub(crate) fn filled(&self, groups: &Groups, standing: &Standing) -> Vec<usize> {
        self.chosen(groups, &standing.taken)
    }

    /// Returns the slots of the rows of some groups, in order, and of their sections' headers.
    pub(crate) fn chosen(&self, groups: &Groups, taken: &[bool]) -> Vec<usize> {
        let Some(order) = &self.order else {
            return (0..self.rows)
                .filter(|&row| taken[groups.of_row(row)])
                .collect();
        };
        let mut header = None;
        let mut filled = Vec::new();
        for (at, slot) in order.slots.iter().enumerate() {
            match slot.row {
                None => header = Some((at, slot.section)),
                Some(row) if taken[groups.of_row(row as usize)] => {
                    if let Some((place, section)) = header.take()
                        && section == slot.section
                    {
                        filled.push(place);
                    }
                    filled.push(at);
                }
                Some(_) => {}
            }
        }
        filled
    }

    /// Returns the pieces of a rendering of some slots.
    pub(crate) fn pieces<'a>(
        &'a self,
        filled: &'a [usize],
    ) -> impl Iterator<Item = Piece<'a>> + 'a {
        filled.iter().enumerate().map(|(at, &slot)| Piece {
            gap: match at {
                0 => "",
                _ => self.gap(filled[at - 1], slot),
            },
            header: self.header(slot),
            row: self.row(slot),
        })
    }
}

fn rows_only(rows: Vec<usize>) -> Order {
    let mut of_row = vec![0; rows.len()];
    let slots = rows
        .into_iter()
        .enumerate()
        .map(|(slot, row)| {
            of_row[row] = number(slot);
            Slot {
                section: 0,
                row: Some(number(row)),
            }
        })
        .collect();
    Order {
        slots,
        of_row,
        headers: Vec::new(),
        sections: Vec::new(),
        joins: Vec::new(),
    }
}

fn by_section(frame: &Frame, groups: &Groups, division: &Division, options: &PackOptions) -> Order {
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); division.len()];
    for row in 0..frame.len() {
        rows[division.section(groups.of_row(row))].push(number(row));
    }
    let mut sections = vec![(None, options.separator.clone())];
    sections.extend(options.sections.iter().map(|section| {
        let header = section.shown_header().map(str::to_owned);
        (header, section.separator.clone())
    }));
    let mut order = Order {
        slots: Vec::with_capacity(frame.len()),
        of_row: vec![0; frame.len()],
        headers: vec![None; division.len()],
        sections,
        joins: match options.merged {
            Some(_) => (0..division.len())
                .map(|section| options.joins(section))
                .collect(),
            None => Vec::new(),
        },
    };
    for (section, rows) in rows.into_iter().enumerate() {
        let shown = options.joins(section) && section != IMPLICIT;
        if shown
            && order
                .sections
                .get(section)
                .is_some_and(|(header, _)| header.is_some())
        {
            order.headers[section] = Some(number(order.slots.len()));
            order.slots.push(Slot {
                section: number(section),
                row: None,
            });
        }
        for row in rows {
            order.of_row[row as usize] = number(order.slots.len());
            order.slots.push(Slot {
                section: number(section),
                row: Some(row),
            });
        }
    }
    order
}

/// Groups by score and priority, descending, then by place; members together.
fn by_score(frame: &Frame, groups: &Groups) -> Vec<usize> {
    let best = |column: &[f64], group: usize| {
        groups
            .rows(group)
            .iter()
            .map(|&row| column[row as usize])
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let mut keyed: Vec<(u64, u64, usize)> = (0..groups.len())
        .map(|group| {
            (
                descending(best(&frame.scores, group)),
                descending(best(&frame.priorities, group)),
                group,
            )
        })
        .collect();
    keyed.sort_unstable();
    keyed
        .into_iter()
        .flat_map(|(.., group)| groups.rows(group).iter().map(|&row| row as usize))
        .collect()
}

/// Rows that the earlier pack kept first, in its order, then the others in theirs.
fn stable(frame: &Frame, options: &PackOptions) -> Vec<usize> {
    let places: HashMap<(&str, &str), usize> = options
        .previous
        .iter()
        .enumerate()
        .map(|(place, (id, hash))| ((&**id, hash.as_str()), place))
        .collect();
    let mut keyed: Vec<(usize, usize)> = (0..frame.len())
        .map(|row| {
            let known = if places.is_empty() {
                None
            } else {
                let hash = options.shown_hash(frame.content(row).hash());
                places.get(&(&**frame.id(row), hash.as_str())).copied()
            };
            (known.unwrap_or(usize::MAX), row)
        })
        .collect();
    keyed.sort_unstable();
    let mut rows: Vec<usize> = keyed.into_iter().map(|(_, row)| row).collect();
    // The messages of a conversation share their places in their own order.
    let apart = options.apart();
    if !apart.is_empty() {
        let mut messages = (0..frame.len()).filter(|&row| apart[row]);
        for row in rows.iter_mut().filter(|row| apart[**row]) {
            *row = messages.next().unwrap_or(*row);
        }
    }
    rows
}

fn number(at: usize) -> u32 {
    u32::try_from(at).expect("the number of rows was checked")
}
