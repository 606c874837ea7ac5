//! What is sent of a request, and the record of every decision.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::laid::Laid;
use super::parts::Request;
use super::settle::settle;
use super::shorten::shorten;
use crate::content::hex;
use crate::error::Error;
use crate::manifest::Manifest;
use crate::pack::{Pack, PackOptions};

/// What is sent of a request, and the record of every decision.
#[derive(Debug, Clone)]
pub struct Plan {
    pub(super) request: Arc<Request>,
    pub(super) laid: Arc<Laid>,
    pub(super) pack: Pack,
    pub(super) tools_tokens: u64,
}

/// Plans a request: lays its parts in a row, packs them once, and again where a message would come
/// first that may not; a few times more where messages have to be made shorter.
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
    request.check_profile(&options.profile)?;
    request.check_final()?;
    let laid = Laid::of(&request)?;
    let settled = if request.shorten.is_empty() {
        settle(&request, laid, options).and_then(|settled| settled.marked(&request, options))
    } else {
        shorten(&request, &laid, options)?
    };
    match settled {
        Ok(settled) => {
            let plan = Plan {
                request,
                laid: Arc::new(settled.laid),
                pack: settled.pack,
                tools_tokens: settled.tools_tokens,
            };
            plan.checked_beside(options)
        }
        Err(unsettled) => Err(unsettled.blamed(&request, options)?),
    }
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
        for text in [
            Some(request.format.as_str()),
            request.tools.as_deref(),
            request.model.as_deref(),
            request.tool_choice.as_deref(),
            request.response_format.as_deref(),
        ] {
            hash.update(b"\n");
            hash.update(text.unwrap_or("").as_bytes());
        }
        for step in &request.shorten {
            hash.update(format!("\n{step:?}").as_bytes());
        }
        let mut id = hex(&hash.finalize().into());
        id.truncate(32);
        id
    }
}
