//! Strategies of the caller's: what a section keeps.

use std::collections::HashMap;
use std::sync::Arc;

use packframe_core::{
    DropResult, DropRule, Error, Item as CoreItem, Section as CoreSection, Strategy, TokenProfile,
};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::convert::{Place, show, text};
use crate::error::Outcome;
use crate::item::Item;
use crate::section::Section;

/// An object with `apply(section, items, allocated, profile, separator)`.
pub(crate) struct PyStrategy {
    name: String,
    object: Py<PyAny>,
    profile: Py<PyAny>,
}

impl PyStrategy {
    pub(crate) fn read(
        name: &Bound<'_, PyAny>,
        object: &Bound<'_, PyAny>,
        profile: &Bound<'_, PyAny>,
    ) -> Outcome<Arc<dyn Strategy>> {
        let place = Place::Option("strategies");
        let name = text(name, place)?.to_owned();
        if DropRule::named(&name).is_some() {
            let remedy = "a name that no drop rule has";
            return Err(Error::invalid_option(
                "strategies",
                format!("'{name}'"),
                "is the name of a drop rule",
                Some(remedy),
            )
            .into());
        }
        if !object.hasattr("apply")? {
            let remedy = "an object with apply(section, items, allocated, profile, separator)";
            return Err(place.refuse(object, "has no apply", remedy).into());
        }
        Ok(Arc::new(Self {
            name,
            object: object.clone().unbind(),
            profile: profile.clone().unbind(),
        }))
    }

    fn call(
        &self,
        py: Python<'_>,
        section: &CoreSection,
        items: &[(usize, CoreItem)],
        allocated: Option<u64>,
    ) -> PyResult<DropResult> {
        let rules = Section::bare(Arc::new(section.clone()), true);
        let given = PyList::empty(py);
        let mut rows = HashMap::new();
        for (row, item) in items {
            rows.insert(item.id().unwrap_or_default().to_owned(), *row);
            let inner = item.clone();
            given.append(Bound::new(py, Item { inner })?)?;
        }
        let arguments = (
            Bound::new(py, rules)?,
            given,
            allocated,
            self.profile.bind(py),
            &section.separator,
        );
        let answer = self.object.bind(py).call_method1("apply", arguments)?;
        let mut result = DropResult::default();
        let Ok(kept) = answer.getattr("items").and_then(|items| items.try_iter()) else {
            result.fault = Some(format!("it returned {}, no DropResult", show(&answer)));
            return Ok(result);
        };
        for item in kept {
            let item = item?;
            let Ok(kept) = item.cast::<Item>() else {
                result.fault = Some(format!("it kept {}, no item", show(&item)));
                return Ok(result);
            };
            let inner = &kept.get().inner;
            let Some(&row) = inner.id().and_then(|id| rows.get(id)) else {
                let id = inner.id().unwrap_or("no id");
                result.fault = Some(format!("it kept an item with {id}, which it was not given"));
                return Ok(result);
            };
            result.kept.push((row, Some(Arc::clone(inner.content()))));
        }
        if let Ok(decisions) = answer.getattr("decisions") {
            let Ok(decisions) = decisions.extract::<HashMap<String, String>>() else {
                let shown = show(&decisions);
                let fault = format!("its decisions are {shown}, no reasons by id, each a str");
                result.fault = Some(fault);
                return Ok(result);
            };
            result.reasons = decisions
                .into_iter()
                .filter_map(|(id, reason)| Some((*rows.get(&id)?, reason)))
                .collect();
            result.reasons.sort_unstable();
        }
        Ok(result)
    }
}

impl Strategy for PyStrategy {
    fn name(&self) -> &str {
        &self.name
    }

    fn apply(
        &self,
        section: &CoreSection,
        items: &[(usize, CoreItem)],
        allocated: Option<u64>,
        _: &TokenProfile,
    ) -> Result<DropResult, Error> {
        Python::attach(|py| {
            self.call(py, section, items, allocated).map_err(|error| {
                Error::strategy(&*self.name, None, error.to_string(), Some(Arc::new(error)))
            })
        })
    }
}
