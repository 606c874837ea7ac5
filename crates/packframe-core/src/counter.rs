//! A count that follows a text as it grows.

use std::process;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use packframe_tokens::{Point, Running};

use crate::error::Error;
use crate::profile::TokenProfile;

/// Counts a text that is appended to, and goes back to marks.
///
/// Threads may share one: each call is done whole. A tokenizer of the caller's runs while none of
/// them waits.
pub struct TokenCounter {
    profile: Arc<TokenProfile>,
    id: u64,
    state: Mutex<State>,
    /// The process of whoever did long work last, while others had to wait.
    process: AtomicU32,
}

/// A point of the text of one counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenMark {
    counter: u64,
    serial: u64,
    point: Point,
}

impl TokenMark {
    /// Returns the bytes of the text where it stands.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.point.length()
    }

    /// Returns the tokens of the text there, if they were counted by then.
    #[must_use]
    pub const fn tokens(&self) -> Option<u64> {
        self.point.tokens()
    }
}

#[derive(Default)]
struct State {
    running: Running,
    /// Grows with each mark and with each change of the text.
    serial: u64,
    /// When the text was rolled back, and to how many bytes. Both grow from one to the next: what
    /// was rolled back further later says all that an earlier one does.
    rollbacks: Vec<(u64, usize)>,
}

/// Bytes from which on work is so long that it is worth asking for the process.
const LONG_WORK: usize = 4096;

static COUNTERS: AtomicU64 = AtomicU64::new(0);

impl TokenCounter {
    /// Makes a counter of an empty text.
    #[must_use]
    pub fn new(profile: Arc<TokenProfile>) -> Self {
        Self {
            profile,
            id: COUNTERS.fetch_add(1, Ordering::Relaxed),
            state: Mutex::default(),
            process: AtomicU32::new(process::id()),
        }
    }

    /// Says whether a count looks only at the end of the text, or at all of it.
    #[must_use]
    pub fn incremental(&self) -> bool {
        self.profile.tokenizer().seams().is_some()
    }

    /// Adds a text at the end. It is counted when the count is asked for.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count), but for the tokenizer.
    pub fn append(&self, text: &str) -> Result<(), Error> {
        let mut state = self.lock()?;
        self.announce(text.len());
        state.serial += 1;
        state.running.append(text);
        Ok(())
    }

    /// Returns the tokens of the text.
    ///
    /// # Errors
    ///
    /// `TokenizerError` where the tokenizer fails, and in a process that was forked while another
    /// thread was at this counter.
    pub fn count(&self) -> Result<u64, Error> {
        let state = self.lock()?;
        if self.incremental() || state.running.counted().is_some() {
            return self.count_locked(state);
        }
        // Code of the caller's may use this very counter, so it runs without the lock.
        let (text, serial) = (state.running.text().to_owned(), state.serial);
        drop(state);
        let tokens = self.profile.count(&text)?;
        let mut state = self.lock()?;
        if state.serial == serial {
            state.running.take_count(tokens);
        }
        Ok(tokens)
    }

    /// Returns the tokens of the text, if that takes a look at fewer than so many bytes.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub fn count_if_near(&self, bytes: usize) -> Result<Option<u64>, Error> {
        let state = self.lock()?;
        self.count_near(state, bytes)
    }

    fn count_near(&self, state: MutexGuard<'_, State>, bytes: usize) -> Result<Option<u64>, Error> {
        let near = self.incremental() && state.running.unsettled() < bytes;
        if near || state.running.counted().is_some() {
            return self.count_locked(state).map(Some);
        }
        Ok(None)
    }

    fn count_locked(&self, mut state: MutexGuard<'_, State>) -> Result<u64, Error> {
        self.announce(state.running.unsettled());
        let counted = state.running.count(self.profile.tokenizer());
        counted.map_err(|error| self.profile.failed(None, &error))
    }

    /// Returns the bytes of the text, and its tokens, if those take a look at fewer than so many bytes.
    ///
    /// # Errors
    ///
    /// As [`count`](Self::count).
    pub fn glance(&self, bytes: usize) -> Result<(usize, Option<u64>), Error> {
        let state = self.lock()?;
        let length = state.running.text().len();
        Ok((length, self.count_near(state, bytes)?))
    }

    /// Returns the text.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append).
    pub fn text(&self) -> Result<String, Error> {
        Ok(self.lock()?.running.text().to_owned())
    }

    /// Returns a mark of where the text ends now.
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append).
    pub fn mark(&self) -> Result<TokenMark, Error> {
        let mut state = self.lock()?;
        state.serial += 1;
        Ok(TokenMark {
            counter: self.id,
            serial: state.serial,
            point: state.running.point(),
        })
    }

    /// Takes back what was appended since a mark. The mark stays good; marks behind it do not.
    ///
    /// # Errors
    ///
    /// `InvalidOption` for a mark of another counter, and for one that was rolled back over.
    pub fn rollback(&self, mark: &TokenMark) -> Result<(), Error> {
        let refuse = |problem, remedy| {
            let at = format!("at byte {}", mark.length());
            Error::invalid_option("mark", at, problem, Some(remedy))
        };
        if mark.counter != self.id {
            let remedy = "a mark that mark() of this counter returned";
            return Err(refuse("is of another counter", remedy));
        }
        let mut state = self.lock()?;
        let length = mark.length();
        let later = state
            .rollbacks
            .partition_point(|&(serial, _)| serial < mark.serial);
        if let Some(&(_, shortest)) = state.rollbacks.get(later)
            && shortest < length
        {
            let remedy = "an earlier mark, or a new one";
            return Err(refuse("was rolled back over", remedy));
        }
        state.serial += 1;
        let rollback = (state.serial, length);
        while state.rollbacks.pop_if(|last| last.1 >= length).is_some() {}
        state.rollbacks.push(rollback);
        state.running.back_to(mark.point);
        Ok(())
    }

    /// Waits for the state.
    ///
    /// It is held only while this crate works, so the wait ends; but for a process that was forked
    /// while another thread held it, where that thread does not exist.
    fn lock(&self) -> Result<MutexGuard<'_, State>, Error> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if self.is_left_over() => {
                let message = "its counter was in use when the process forked; make a new one";
                let (which, message) = (self.profile.id(), message.to_owned());
                Err(Error::tokenizer(which, None, message, None))
            }
            Err(TryLockError::WouldBlock) => {
                Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner))
            }
        }
    }

    /// Says which process works, before work on so many bytes while others may have to wait.
    fn announce(&self, bytes: usize) {
        if bytes >= LONG_WORK {
            self.process.store(process::id(), Ordering::Relaxed);
        }
    }

    fn is_left_over(&self) -> bool {
        self.process.load(Ordering::Relaxed) != process::id()
    }
}
