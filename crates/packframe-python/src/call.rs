//! The call of a pack: its options as Python hands them over, in one order.

use std::sync::Arc;

use packframe_core::{Frame as CoreFrame, PackOptions, Strategy};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::convert::{Place, flag, instant, listed, secret, text, tokens};
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
        diversity,
    ] = values.as_slice()
    else {
        let problem = format!("a pack has 20 options, not {}", values.len());
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
        selection: value::selection(
            frame,
            given(selection),
            given(value),
            given(effort),
            given(diversity),
        )?,
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
    listed(policies, place, "a list of objects with id and evaluate")?
        .map(|policy| {
            let policy = policy?;
            let id = policy.getattr("id").map_err(|_| {
                place.refuse(&policy, "has no id", "an object with id and evaluate")
            })?;
            let Some(id) = id.cast::<PyString>().ok().and_then(|id| id.to_str().ok()) else {
                let remedy = "a policy whose id is a str";
                return Err(place
                    .refuse(&policy, "has an id that is no str", remedy)
                    .into());
            };
            if id.is_empty() {
                let remedy = "a policy with a name as its id: reasons are policy:<id>";
                return Err(place.refuse(&policy, "has an empty id", remedy).into());
            }
            let id = id.to_owned();
            if !policy.hasattr("evaluate")? {
                return Err(place
                    .refuse(&policy, "has no evaluate", "an object with id and evaluate")
                    .into());
            }
            Ok(Arc::new(PyPolicy::new(id, policy.unbind())) as Arc<dyn packframe_core::Policy>)
        })
        .collect()
}
