//! Requests, and the plans that are made of them.

use std::sync::Arc;

use packframe_core::{
    Accuracy, ContextSection, DataBlock, Explained, Plan as CorePlan, Receipt,
    Request as CoreRequest, Shorten, Talk,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};

use crate::content::{format, json_text};
use crate::conversation::{model, repair_mode};
use crate::convert::{Place, choice, flag, names, secret, text};
use crate::error::{Outcome, list};
use crate::limit::limit;
use crate::manifest::Manifest;
use crate::section::Section;
use crate::{call, json, messages, model};

/// A request of the core.
#[pyclass(frozen, module = "packframe._core")]
pub(crate) struct Request {
    inner: CoreRequest,
}

#[pymethods]
impl Request {
    #[new]
    #[pyo3(signature = (*, format, system, tools, tool_choice, response_format, context_role, data, history, r#final, priorities,
        gaps, group_by, repair, abandoned, allow_pending, model, shorten, trace_key))]
    #[expect(clippy::too_many_arguments, reason = "a request has these parts")]
    fn new(
        format: &Bound<'_, PyAny>,
        system: Option<&Bound<'_, PyAny>>,
        tools: Option<&Bound<'_, PyAny>>,
        tool_choice: Option<&Bound<'_, PyAny>>,
        response_format: Option<&Bound<'_, PyAny>>,
        context_role: &Bound<'_, PyAny>,
        data: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        history: &Bound<'_, PyAny>,
        r#final: &Bound<'_, PyAny>,
        priorities: Option<&Bound<'_, PyAny>>,
        gaps: &Bound<'_, PyAny>,
        group_by: &Bound<'_, PyAny>,
        repair: &Bound<'_, PyAny>,
        abandoned: &Bound<'_, PyAny>,
        allow_pending: &Bound<'_, PyAny>,
        model: Option<&Bound<'_, PyAny>>,
        shorten: Vec<Step<'_>>,
        trace_key: Option<&Bound<'_, PyAny>>,
    ) -> Outcome<Self> {
        let format = self::format(format, "format")?;
        let mut inner = CoreRequest::new(format);
        inner.system = system
            .map(|system| text(system, Place::Option("system")).map(str::to_owned))
            .transpose()?;
        let beside = messages::beside(tools, response_format, tool_choice, None)?;
        inner.tools = beside.tools;
        inner.tool_choice = beside.tool_choice;
        inner.response_format = beside.response_format;
        inner.context_is_user = choice(context_role, "context_role", ["system", "user"])?;
        inner.data = data.iter().map(block).collect::<Outcome<_>>()?;
        inner.history = said(history, "history", &inner)?;
        inner.r#final = said(r#final, "final", &inner)?;
        if let Some(priorities) = priorities {
            let named = names(Some(priorities), Place::Option("priorities"))?;
            inner.priorities = named.iter().map(ToString::to_string).collect();
        }
        inner.gaps = flag(gaps, "gaps")?;
        inner.by_turn = choice(group_by, "group_by", ["exchange", "turn"])?;
        inner.repair = repair_mode(repair)?;
        let given_up = names(Some(abandoned), Place::Option("abandoned"))?;
        inner.abandoned = given_up.iter().map(ToString::to_string).collect();
        inner.allow_pending = flag(allow_pending, "allow_pending")?;
        inner.model = self::model(model)?.map(str::to_owned);
        inner.shorten = shorten.iter().map(step).collect::<Outcome<_>>()?;
        inner.trace_key = trace_key.map(|key| secret(key, "trace_key")).transpose()?;
        Ok(Self { inner })
    }

    /// Plans the request with sections that hold all their items, and the options of a pack.
    fn plan(
        &self,
        py: Python<'_>,
        context: Vec<Bound<'_, Section>>,
        only_context: bool,
        call: &Bound<'_, PyTuple>,
    ) -> Outcome<Plan> {
        let options = call::read(call, None)?;
        let mut request = self.inner.clone();
        request.context = context
            .iter()
            .map(|section| {
                let section = section.get();
                ContextSection {
                    rules: (*section.inner).clone(),
                    drop_given: section.drop_given,
                    items: section.items.clone(),
                }
            })
            .collect();
        if only_context {
            request = request.context_only();
        }
        let request = Arc::new(request);
        let inner = py.detach(move || packframe_core::plan(request, &options))?;
        Ok(Plan { inner })
    }

    /// Returns what of it could change where it came from, as the arguments that make it again.
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let state = PyDict::new(py);
        let given = |json: &Option<String>| {
            let json = json.as_deref();
            json.map(|json| json::read(py, json)).transpose()
        };
        state.set_item("tools", given(&self.inner.tools)?)?;
        state.set_item("tool_choice", given(&self.inner.tool_choice)?)?;
        state.set_item("response_format", given(&self.inner.response_format)?)?;
        let data = self.inner.data.iter().map(|block| {
            let records = json::read(py, &block.records)?;
            Ok((&*block.name, &*block.instructions, records))
        });
        state.set_item("data", data.collect::<PyResult<Vec<_>>>()?)?;
        state.set_item("history", json::read(py, &self.inner.history.json())?)?;
        state.set_item("final", json::read(py, &self.inner.r#final.json())?)?;
        state.set_item("priorities", &self.inner.priorities)?;
        state.set_item("abandoned", &self.inner.abandoned)?;
        Ok(state)
    }

    fn has_final(&self) -> bool {
        !self.inner.r#final.is_empty()
    }

    /// Returns the request of the next turn.
    fn extended(&self, more: &Bound<'_, PyAny>, finals: usize) -> Outcome<Self> {
        let more = said(more, "messages", &self.inner)?;
        let inner = self.inner.extended(&more, finals);
        Ok(Self { inner })
    }
}

/// The word of a kind, `keep_last`, `placeholder`, `least`.
type Step<'py> = (
    Bound<'py, PyAny>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
    Option<Bound<'py, PyAny>>,
);

fn step((kind, last, said, fewest): &Step<'_>) -> Outcome<Shorten> {
    let word = text(kind, Place::Option("shorten"))?;
    let Some(mut step) = Shorten::parse(word) else {
        return Err(packframe_core::unknown_option_word("shorten", word, &Shorten::WORDS).into());
    };
    if let Some(last) = last
        && let Shorten::Clear { keep_last, .. } = &mut step
    {
        *keep_last = usize::try_from(limit(last, "keep_last")?).unwrap_or(usize::MAX);
    }
    if let Some(said) = said
        && let Shorten::Clear { placeholder, .. } = &mut step
    {
        text(said, Place::Option("placeholder"))?.clone_into(placeholder);
    }
    if let Some(fewest) = fewest
        && let Shorten::Results { least } | Shorten::Text { least } = &mut step
    {
        *least = limit(fewest, "least")?;
    }
    Ok(step)
}

fn block(
    (name, instructions, records): &(Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>),
) -> Outcome<DataBlock> {
    Ok(DataBlock {
        name: text(name, Place::Option("name"))?.to_owned(),
        instructions: text(instructions, Place::Option("instructions"))?.to_owned(),
        records: json_text(records, "records")?,
    })
}

/// Reads messages: a list, one of them alone, or None; a string is what the user says.
fn said(value: &Bound<'_, PyAny>, option: &str, request: &CoreRequest) -> Outcome<Talk> {
    if value.is_none() {
        return Ok(Talk::default());
    }
    let is_one = value.is_instance_of::<PyString>() || value.is_instance_of::<PyMapping>();
    let list = if is_one || model::is_one(value) {
        PyList::new(value.py(), [value])?.into_any()
    } else {
        value.clone()
    };
    let texts = messages::texts_or(&list, option, request.path_of_user(), |text| {
        request.of_user(text)
    })?;
    Ok(Talk::of(request.format, texts))
}

/// A plan of the core.
#[pyclass(frozen, module = "packframe._core")]
pub(crate) struct Plan {
    inner: CorePlan,
}

#[pymethods]
impl Plan {
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::read(py, &py.detach(|| self.inner.messages()))
    }

    fn call<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::read(py, &py.detach(|| self.inner.call()))
    }

    fn system_text(&self) -> Option<String> {
        self.inner.system_text()
    }

    fn id(&self, py: Python<'_>) -> String {
        py.detach(|| self.inner.id())
    }

    fn manifest(&self) -> Manifest {
        self.inner.manifest().clone().into()
    }

    fn is_internal(&self) -> bool {
        self.inner.pack().is_internal()
    }

    fn receipt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Receipt {
            input_tokens,
            output_reserve_tokens,
            remaining_tokens,
            parts,
            accuracy,
        } = self.inner.receipt();
        let receipt = PyDict::new(py);
        receipt.set_item("input_tokens", input_tokens)?;
        receipt.set_item("output_reserve_tokens", output_reserve_tokens)?;
        receipt.set_item("remaining_tokens", remaining_tokens)?;
        for (part, tokens) in parts {
            receipt.set_item(part, tokens)?;
        }
        receipt.set_item("accuracy", Accuracy::as_str(accuracy))?;
        Ok(receipt)
    }

    fn explain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let blocks = py.detach(|| self.inner.explain());
        list(py, &blocks, explained)
    }
}

fn explained(block: &Explained, to: &Bound<'_, PyDict>) -> PyResult<()> {
    to.set_item("place", &block.place)?;
    to.set_item("origin", block.origin.as_str())?;
    to.set_item("selected", block.selected)?;
    to.set_item("form", block.form)?;
    to.set_item("reason", &block.reason)?;
    to.set_item("tokens", block.tokens)?;
    to.set_item("score", block.score)?;
    to.set_item("source_ref", &block.source_ref)
}
