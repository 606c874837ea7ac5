//! What stands beside the messages of a call: tools, which of them may be called, the format of the
//! reply.

use super::parts::Request;
use super::plan::Plan;
use crate::conversation::Format;
use crate::error::{Error, ErrorKind, Violation};
use crate::framing::ChatRequest;
use crate::pack::PackOptions;
use crate::profile::TokenProfile;

/// Returns what tools and the format of the reply cost beside some messages of chat completions.
///
/// # Errors
///
/// `TokenizerError` where the profile fails.
pub(super) fn tools_tokens(
    request: &Request,
    profile: &TokenProfile,
    messages: &str,
) -> Result<u64, Error> {
    let reply = request.response_format.as_deref();
    let reply = reply.map_or(Ok(0), |format| profile.count(format))?;
    let Some(tools) = &request.tools else {
        return Ok(reply);
    };
    if profile.counts_exactly() && request.format == Format::OpenAiChat {
        let call = ChatRequest {
            messages,
            tools: Some(tools),
        };
        let with = profile.count_request(&call)?;
        let without = profile.count_messages(messages).transpose()?;
        if let (Some(with), Some(without)) = (with, without) {
            return Ok(with.saturating_sub(without) + reply);
        }
    }
    let choice = request.tool_choice.as_deref();
    Ok(profile.tools_tokens(tools, choice)?.0 + reply)
}

impl Request {
    /// Returns what stands beside the messages, as JSON, by the names of the options.
    fn beside(&self) -> [(&'static str, Option<&String>); 3] {
        [
            ("tools", self.tools.as_ref()),
            ("tool_choice", self.tool_choice.as_ref()),
            ("response_format", self.response_format.as_ref()),
        ]
    }

    /// Writes what stands beside the messages under the names that the format has for them.
    pub(super) fn beside_fields(&self) -> Vec<String> {
        let named = |(option, json): (&'static str, Option<&String>)| {
            let json = json?;
            Some(match (option, self.format) {
                ("response_format", Format::OpenAiResponses) => {
                    format!("\"text\":{{\"format\":{json}}}")
                }
                ("response_format", Format::Anthropic) => {
                    format!("\"output_config\":{{\"format\":{json}}}")
                }
                ("response_format", Format::Gemini) => format!("\"response_json_schema\":{json}"),
                ("tool_choice", Format::Gemini) => format!("\"tool_config\":{json}"),
                _ => format!("\"{option}\":{json}"),
            })
        };
        self.beside().into_iter().filter_map(named).collect()
    }
}

impl Plan {
    /// Looks for secrets in what stands beside the messages, where it goes outside.
    ///
    /// # Errors
    ///
    /// `PolicyViolation` for each option that holds one: nothing is taken out of tools, which would
    /// be others then.
    pub(super) fn checked_beside(self, options: &PackOptions) -> Result<Self, Error> {
        let Some(rules) = options.boundary.searched_by() else {
            return Ok(self);
        };
        let given = self.request.beside().into_iter();
        let violations: Vec<Violation> = given
            .filter_map(|(option, json)| {
                let secret = rules.first_json(json?)?;
                Some(Violation {
                    row: None,
                    id: option.to_owned(),
                    rule: Some(secret.rule.to_owned()),
                    reason: "secret_detected".to_owned(),
                })
            })
            .collect();
        if violations.is_empty() {
            return Ok(self);
        }
        Err(Error::new(ErrorKind::PolicyViolation {
            violations,
            boundary: options.boundary.to_string(),
            partial_manifest: Box::new(self.manifest().clone()),
        }))
    }
}
