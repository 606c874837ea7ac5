//! A laid request packed: once, and again where that changes what it is laid from.

use super::beside::tools_tokens;
use super::blame::blame;
use super::laid::Laid;
use super::lead::lead;
use super::marks::move_marks;
use super::parts::Request;
use crate::conversation::Format;
use crate::error::Error;
use crate::pack::{Pack, PackOptions, pack};

/// How often the tokens of tools are counted anew beside what is sent.
const SETTLING: usize = 4;

/// A laid request, and what fits of it.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) laid: Laid,
    pub(super) pack: Pack,
    pub(super) tools_tokens: u64,
}

/// A laid request that cannot be packed.
#[derive(Debug)]
pub(super) struct Unsettled {
    pub(super) error: Error,
    laid: Laid,
    tools_tokens: u64,
}

impl Unsettled {
    /// Returns the error, with the part that is too big.
    ///
    /// # Errors
    ///
    /// What counting raises.
    pub(super) fn blamed(self, request: &Request, options: &PackOptions) -> Result<Error, Error> {
        let complete = self.laid.options(options, self.tools_tokens);
        blame(self.error, request, &self.laid, &complete)
    }
}

/// Packs a laid request, and again where a message would come first that may not, and where tools
/// cost something else beside what is sent.
///
/// # Errors
///
/// What [`pack`] returns, and `InvalidMessages` for a list that nothing may lead.
pub(super) fn settle(
    request: &Request,
    mut laid: Laid,
    options: &PackOptions,
) -> Result<Settled, Box<Unsettled>> {
    let said = format!("[{}]", request.of_user(""));
    let mut tools_tokens = 0;
    let failed = |error, laid, tools_tokens| {
        Box::new(Unsettled {
            error,
            laid,
            tools_tokens,
        })
    };
    match self::tools_tokens(request, &options.profile, &said) {
        Ok(tokens) => tools_tokens = tokens,
        Err(error) => return Err(failed(error, laid, tools_tokens)),
    }
    let mut settled = 0;
    loop {
        let packed = match pack(&laid.frame, laid.options(options, tools_tokens)) {
            Ok(packed) => packed,
            Err(error) => return Err(failed(error, laid, tools_tokens)),
        };
        match lead(request, &mut laid, &packed) {
            Ok(false) => {}
            Ok(true) => continue,
            Err(error) => return Err(failed(error, laid, tools_tokens)),
        }
        // A profile that renders conversations may write tools otherwise beside other messages.
        let renders = options.profile.counts_exactly() && request.format == Format::OpenAiChat;
        if settled < SETTLING && renders {
            let beside = match self::tools_tokens(request, &options.profile, &packed.messages()) {
                Ok(beside) => beside,
                Err(error) => return Err(failed(error, laid, tools_tokens)),
            };
            settled += 1;
            if beside != tools_tokens {
                // The last time only more is taken for granted.
                let least = if settled == SETTLING { tools_tokens } else { 0 };
                tools_tokens = beside.max(least);
                continue;
            }
        }
        return Ok(Settled {
            laid,
            pack: packed,
            tools_tokens,
        });
    }
}

impl Settled {
    /// Moves the cache marks of what is out; they cost nothing, so that the same is packed again.
    ///
    /// # Errors
    ///
    /// As [`settle`].
    pub(super) fn marked(
        mut self,
        request: &Request,
        options: &PackOptions,
    ) -> Result<Self, Box<Unsettled>> {
        if move_marks(request, &mut self.laid, &self.pack) {
            return settle(request, self.laid, options);
        }
        Ok(self)
    }
}
