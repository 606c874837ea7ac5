//! Where a pack goes.

/// Where a pack goes, and with it which contents it may take along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    external: bool,
    target: String,
    require_provenance: bool,
}

impl Boundary {
    /// A place inside the application.
    #[must_use]
    pub fn internal(target: impl Into<String>) -> Self {
        Self {
            external: false,
            target: target.into(),
            require_provenance: false,
        }
    }

    /// A place outside, such as a model provider: restricted items are refused.
    #[must_use]
    pub fn external(target: impl Into<String>, require_provenance: bool) -> Self {
        Self {
            external: true,
            target: target.into(),
            require_provenance,
        }
    }

    /// Says whether it is outside.
    #[must_use]
    pub const fn is_external(&self) -> bool {
        self.external
    }

    /// Returns `internal` or `external`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        if self.external {
            "external"
        } else {
            "internal"
        }
    }

    /// Returns the name of the place.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Says whether items without sources are refused.
    #[must_use]
    pub const fn require_provenance(&self) -> bool {
        self.require_provenance
    }
}

impl std::fmt::Display for Boundary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.kind(), self.target)
    }
}
