//! What is sent of a request, and the record of every decision.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::blame::blame;
use super::laid::Laid;
use super::lead::lead;
use super::marks::move_marks;
use super::parts::Request;
use crate::content::hex;
use crate::conversation::Format;
use crate::error::Error;
use crate::framing::ChatRequest;
use crate::manifest::Manifest;
use crate::pack::{Pack, PackOptions, pack};
use crate::profile::TokenProfile;

/// What is sent of a request, and the record of every decision.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) request: Arc<Request>,
    pub(super) laid: Arc<Laid>,
    pub(super) pack: Pack,
    pub(super) tools_tokens: u64,
}

/// Plans a request: lays its parts in a row, packs them once, and again where a message would come
/// first that may not.
///
/// Of the options budget, reserve, margin, profile, boundary, policies, overflow, time, strategies
/// and hash key count; the others are the request's. Linear in text and messages, but for the sort
/// of retrieved items.
///
/// # Errors
///
/// What [`pack`](crate::pack()) returns, `BudgetExceeded` with the part that is too big;
/// `InvalidMessages` for messages that no repair mends, and for a list that nothing may lead;
/// `InvalidOption` for names of parts that come twice.
pub fn plan(request: Arc<Request>, options: &PackOptions) -> Result<Plan, Error> {
    request.check()?;
    let mut laid = Laid::of(&request)?;
    let said = format!("[{}]", request.of_user(""));
    let mut tools_tokens = tools_tokens(&request, &options.profile, &said)?;
    let (mut marked, mut settled) = (false, 0);
    loop {
        let complete = laid.options(options, tools_tokens);
        let packed = match pack(&laid.frame, complete.clone()) {
            Ok(packed) => packed,
            Err(error) => return Err(blame(error, &request, &laid, &complete)?),
        };
        if lead(&request, &mut laid, &packed)? {
            continue;
        }
        // A profile that renders conversations may write tools otherwise beside other messages.
        let renders = options.profile.counts_exactly() && request.format == Format::OpenAiChat;
        if settled < SETTLING && renders {
            let beside = self::tools_tokens(&request, &options.profile, &packed.messages())?;
            settled += 1;
            if beside != tools_tokens {
                // The last time only more is taken for granted.
                let least = if settled == SETTLING { tools_tokens } else { 0 };
                tools_tokens = beside.max(least);
                continue;
            }
        }
        // A mark costs nothing, so that the same is packed again.
        if marked || !move_marks(&request, &mut laid, &packed) {
            return Ok(Plan {
                request,
                laid: Arc::new(laid),
                pack: packed,
                tools_tokens,
            });
        }
        marked = true;
    }
}

/// How often the tokens of tools are counted anew beside what is sent.
const SETTLING: usize = 4;

/// Returns what the tools cost beside some messages of chat completions.
fn tools_tokens(request: &Request, profile: &TokenProfile, messages: &str) -> Result<u64, Error> {
    let Some(tools) = &request.tools else {
        return Ok(0);
    };
    if profile.counts_exactly() && request.format == Format::OpenAiChat {
        let call = ChatRequest {
            messages,
            tools: Some(tools),
        };
        let with = profile.count_request(&call)?;
        let without = profile.count_messages(messages).transpose()?;
        if let (Some(with), Some(without)) = (with, without) {
            return Ok(with.saturating_sub(without));
        }
    }
    Ok(profile.tools_tokens(tools, None)?.0)
}

impl Plan {
    /// Returns the request.
    #[must_use]
    pub fn request(&self) -> &Arc<Request> {
        &self.request
    }

    /// Returns the pack of all parts.
    #[must_use]
    pub fn pack(&self) -> &Pack {
        &self.pack
    }

    /// Returns the record of every decision.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        self.pack.manifest()
    }

    /// Returns the name of the plan: a hash of what was given and of the options, 32 hexadecimal
    /// digits.
    ///
    /// Linear in the text, which is hashed once.
    #[must_use]
    pub fn id(&self) -> String {
        let mut hash = Sha256::new();
        let request = &self.request;
        hash.update(b"packframe plan 1\n");
        let manifest = &self.manifest().document().manifest_id;
        hash.update(manifest.as_deref().unwrap_or("").as_bytes());
        for text in [Some(request.format.as_str()), request.tools.as_deref()]
            .into_iter()
            .chain([request.model.as_deref()])
        {
            hash.update(b"\n");
            hash.update(text.unwrap_or("").as_bytes());
        }
        let mut id = hex(&hash.finalize().into());
        id.truncate(32);
        id
    }
}
