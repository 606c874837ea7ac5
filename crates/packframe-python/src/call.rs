//! The call of a pack: its options as Python hands them over, in one order.

use std::sync::Arc;

use packframe_core::{Frame as CoreFrame, PackOptions, Strategy};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::convert::{Place, flag, instant, secret, text, tokens};
use crate::error::Outcome;
use crate::options::{Boundary, Overflow};
use crate::pack;
use crate::policy::PyPolicy;
use crate::profile::Profile;
use crate::section;
use crate::strategy::PyStrategy;
use crate::value;

/// Reads the options of a pack, in the order of `Frame.pack`.
///
/// `frame` is the one whose rows `value` speaks of; a batch has none.
pub(crate) fn read(
    call: &Bound<'_, PyTuple>,
    frame: Option<&Arc<CoreFrame>>,
) -> Outcome<PackOptions> {
    let values: Vec<Bound<'_, PyAny>> = call.iter().collect();
    let [
        budget,
        reserve,
        profile,
        render,
        separator,
        labels,
        boundary,
        policies,
        overflow,
        sections,
        strategies,
        layout,
        previous,
        margin,
        now,
        hash_key,
        selection,
        value,
        effort,
    ] = values.as_slice()
    else {
        let problem = format!("a pack has 19 options, not {}", values.len());
        return Err(PyTypeError::new_err(problem).into());
    };
    let hash_key = given(hash_key)
        .map(|key| secret(key, "hash_key"))
        .transpose()?;
    Ok(PackOptions {
        budget: read_budget(budget, "budget")?,
        reserve: tokens(reserve, Place::Option("reserve"))?,
        margin: pack::margin(margin)?,
        profile: Arc::clone(&profile.cast::<Profile>().map_err(PyErr::from)?.get().inner),
        render: given(render).map(pack::render).transpose()?,
        separator: text(separator, Place::Option("separator"))?.to_owned(),
        labels: flag(labels, "labels")?,
        boundary: pack::instance::<Boundary>(boundary, "boundary", "a pf.Boundary")?
            .inner
            .clone(),
        policies: read_policies(policies)?,
        overflow: match given(overflow) {
            Some(overflow) => {
                pack::instance::<Overflow>(overflow, "overflow", "a pf.Overflow")?.strategies()
            }
            None => Vec::new(),
        },
        now: instant(given(now), Place::Option("now"))?,
        sections: section::declared(sections)?,
        strategies: read_strategies(strategies)?,
        layout: pack::layout(layout)?,
        previous: match given(previous) {
            Some(previous) => pack::previous(previous, hash_key.is_some())?,
            None => Vec::new(),
        },
        hash_key,
        selection: value::selection(frame, selection, given(value), given(effort))?,
        merged: None,
        fixed: 0,
        planned: None,
    })
}

fn given<'a, 'py>(value: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyAny>> {
    Some(value).filter(|value| !value.is_none())
}

/// Reads a budget: an int of tokens, or None.
pub(crate) fn read_budget(value: &Bound<'_, PyAny>, option: &str) -> Outcome<Option<u64>> {
    given(value)
        .map(|budget| tokens(budget, Place::Option(option)))
        .transpose()
}

/// Reads strategies: name, object, and the profile that it is shown.
fn read_strategies(strategies: &Bound<'_, PyAny>) -> Outcome<Vec<Arc<dyn Strategy>>> {
    let named: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>)> =
        strategies.extract()?;
    named
        .iter()
        .map(|(name, object, profile)| PyStrategy::read(name, object, profile))
        .collect()
}

fn read_policies(policies: &Bound<'_, PyAny>) -> Outcome<Vec<Arc<dyn packframe_core::Policy>>> {
    let place = Place::Option("policies");
    let listed = policies.try_iter().map_err(|_| {
        place.refuse(
            policies,
            "is no list",
            "a list of objects with id and evaluate",
        )
    })?;
    listed
        .map(|policy| {
            let policy = policy?;
            let id = policy.getattr("id").map_err(|_| {
                place.refuse(&policy, "has no id", "an object with id and evaluate")
            })?;
            let id = text(&id, Place::Option("policies"))?.to_owned();
            if !policy.hasattr("evaluate")? {
                return Err(place
                    .refuse(&policy, "has no evaluate", "an object with id and evaluate")
                    .into());
            }
            Ok(Arc::new(PyPolicy::new(id, policy.unbind())) as Arc<dyn packframe_core::Policy>)
        })
        .collect()
}
