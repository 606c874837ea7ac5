//! The sections of a pack: those that were declared, the implicit one of all other items, and behind
//! them that of a conversation.

use std::collections::HashMap;
use std::sync::Arc;

use super::groups::Groups;
use super::options::{PackOptions, Room, signed};
use crate::error::Error;
use crate::frame::Frame;
use crate::section::{DropRule, Section};
use crate::word::{Layout, Render};

/// The number of the section of all items that no declared section has.
pub(crate) const IMPLICIT: usize = 0;

/// The sections of a pack, by number.
#[derive(Debug)]
pub(crate) struct Division {
    parts: Vec<Part>,
    /// Of each group, its section; empty where all are in the implicit one.
    of: Vec<u32>,
    /// All sections in the order in which they choose.
    pub(crate) order: Vec<usize>,
    /// Tokens that stand between two sections.
    pub(crate) joiner: u64,
    /// Tokens of the message that merged sections are, over its content.
    pub(crate) opening: u64,
}

/// One section, in tokens.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Its name; `None` of the implicit one, and of the conversation.
    pub(crate) name: Option<Arc<str>>,
    pub(crate) rule: DropRule,
    /// What it may have at most.
    pub(crate) cap: Option<u64>,
    /// What is held for it, if its items cost as much.
    pub(crate) floor: u64,
    /// Whether packing fails where an all-or-nothing section is left out.
    pub(crate) required: bool,
    /// Tokens between two of its items.
    pub(crate) separator: u64,
    /// Tokens of its header and of what stands behind it.
    pub(crate) header: u64,
    /// Whether its items are parts of a text; else each is a message.
    pub(crate) joins: bool,
    /// Whether its run ends at the first miss, also where that could never be in.
    pub(crate) strict: bool,
}

impl Division {
    /// Reads the sections that were declared; nothing is counted yet.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for two sections of one name, and for fields that no section can have.
    pub(crate) fn of(
        frame: &Frame,
        groups: &Groups,
        options: &PackOptions,
        room: Room,
    ) -> Result<Self, Error> {
        let mut parts = vec![Part {
            name: None,
            rule: DropRule::Truncate,
            cap: None,
            floor: 0,
            required: false,
            separator: 0,
            header: 0,
            joins: options.joins(IMPLICIT),
            strict: false,
        }];
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        for section in &options.sections {
            section.check()?;
            let number = u32::try_from(parts.len()).unwrap_or(u32::MAX);
            if numbers.insert(&section.name, number).is_some() {
                return Err(Error::invalid_option(
                    "sections",
                    format!("'{}'", section.name),
                    "is the name of two sections",
                    Some("a name of its own for each section"),
                ));
            }
            parts.push(Part {
                name: Some(Arc::clone(&section.name)),
                rule: section.drop,
                cap: cap(section, room),
                floor: section.min_tokens,
                required: section.required.unwrap_or(true),
                separator: 0,
                header: 0,
                joins: options.joins(parts.len()),
                strict: options.strict() == Some(&section.name),
            });
        }
        let apart = options.apart();
        let numbered = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        if !apart.is_empty() {
            parts.push(Part {
                rule: DropRule::Oldest,
                strict: true,
                ..parts[IMPLICIT].clone()
            });
        }
        let is_apart = |group: usize| {
            let mut rows = groups.rows(group).iter();
            !apart.is_empty() && rows.any(|&row| apart[row as usize])
        };
        let has_sections = !numbers.is_empty() && frame.sections.is_some();
        let of = if !has_sections && apart.is_empty() {
            Vec::new()
        } else {
            // Neighbours mostly share the name of their section, and not only its letters.
            let mut last: Option<(&Arc<str>, u32)> = None;
            let number = |group| {
                let row = groups.rows(group)[0] as usize;
                let name = frame.section(row)?;
                if let Some((known, number)) = last
                    && Arc::ptr_eq(known, name)
                {
                    return Some(number);
                }
                let number = numbers.get(&**name).copied()?;
                last = Some((name, number));
                Some(number)
            };
            let declared = (0..groups.len()).map(number);
            let in_none = |group| if is_apart(group) { numbered } else { 0 };
            let all = declared.enumerate();
            all.map(|(group, number)| number.unwrap_or_else(|| in_none(group)))
                .collect()
        };
        let mut order: Vec<usize> = (0..parts.len()).collect();
        let priority = |number: usize| match number.checked_sub(1) {
            Some(at) if at < options.sections.len() => options.sections[at].priority + 0.0,
            _ => 0.0,
        };
        order.sort_by(|&a, &b| priority(b).total_cmp(&priority(a)).then(a.cmp(&b)));
        Ok(Self {
            parts,
            of,
            order,
            joiner: 0,
            opening: 0,
        })
    }

    /// Counts what stands between items and sections, and the headers.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails.
    pub(crate) fn count(&mut self, options: &PackOptions) -> Result<(), Error> {
        if let Some(merged) = options.merged
            && options.render() == Render::Messages
        {
            self.opening = options.profile.envelope(merged.role, None);
        }
        if !self.parts.iter().any(|part| part.joins) {
            return Ok(());
        }
        self.joiner = options.profile.count(&options.separator)?;
        if self.parts[IMPLICIT].joins {
            self.parts[IMPLICIT].separator = self.joiner;
        }
        for part in &mut self.parts[1 + options.sections.len()..] {
            part.separator = if part.joins { self.joiner } else { 0 };
        }
        let declared = self.parts[1..].iter_mut().zip(&options.sections);
        for (part, section) in declared.filter(|(part, _)| part.joins) {
            part.separator = self.joiner;
            if options.layout != Layout::Section {
                continue;
            }
            part.separator = options.profile.count(&section.separator)?;
            if let Some(header) = section.shown_header() {
                part.header = options.profile.count(header)? + part.separator;
            }
        }
        Ok(())
    }

    /// Returns the number of sections, the implicit one included.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Returns a section.
    pub(crate) fn part(&self, section: usize) -> &Part {
        &self.parts[section]
    }

    /// Says whether the items of a group are parts of a text; else each is a message.
    pub(crate) fn joins(&self, group: usize) -> bool {
        self.parts[self.section(group)].joins
    }

    /// Returns what is paid for so many sections of a text that have something in them: for the
    /// message that they are, and for what stands between them.
    pub(crate) fn joiners(&self, filled: i64) -> i64 {
        match filled {
            ..=0 => 0,
            _ => signed(self.opening) + signed(self.joiner) * (filled - 1),
        }
    }

    /// Returns the section of a group.
    pub(crate) fn section(&self, group: usize) -> usize {
        self.of
            .get(group)
            .map_or(IMPLICIT, |&section| section as usize)
    }
}

/// Returns the tighter of the two caps of a section.
fn cap(section: &Section, room: Room) -> Option<u64> {
    let available = room
        .available
        .map(|available| u64::try_from(available).unwrap_or(0));
    let share = match (section.max_share, available) {
        (Some(share), Some(available)) => Some(room_share(share, available)),
        _ => None,
    };
    match (section.max_tokens, share) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (cap, None) | (None, cap) => cap,
    }
}

/// Returns ⌊share · whole⌋ by the shortest decimal that gives the float.
fn room_share(share: f64, whole: u64) -> u64 {
    super::options::fraction_down(share, whole)
}
