//! Where a pack goes.

use crate::secret::SecretRules;

/// What becomes of content with secrets that goes outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Secrets {
    /// It is refused.
    #[default]
    Exclude,
    /// It goes without them.
    Redact,
    /// It goes as it is.
    Allow,
}

impl Secrets {
    /// All of them, in order.
    pub const ALL: [Self; 3] = [Self::Exclude, Self::Redact, Self::Allow];

    /// Returns its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exclude => "exclude",
            Self::Redact => "redact",
            Self::Allow => "allow",
        }
    }

    /// Reads its word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

/// Where a pack goes, and with it which contents it may take along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    external: bool,
    target: String,
    require_provenance: bool,
    secrets: Secrets,
    rules: SecretRules,
}

impl Boundary {
    /// A place inside the application.
    #[must_use]
    pub fn internal(target: impl Into<String>) -> Self {
        Self {
            external: false,
            target: target.into(),
            require_provenance: false,
            secrets: Secrets::Allow,
            rules: SecretRules::all(),
        }
    }

    /// A place outside, such as a model provider: restricted items and secrets are refused.
    #[must_use]
    pub fn external(target: impl Into<String>, require_provenance: bool) -> Self {
        Self {
            external: true,
            target: target.into(),
            require_provenance,
            secrets: Secrets::Exclude,
            rules: SecretRules::all(),
        }
    }

    /// The same place outside, with another treatment of secrets, found by these rules.
    #[must_use]
    pub fn with_secrets(self, secrets: Secrets, rules: SecretRules) -> Self {
        Self {
            secrets,
            rules,
            ..self
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

    /// Says what becomes of content with secrets; inside, it goes as it is.
    #[must_use]
    pub const fn secrets(&self) -> Secrets {
        self.secrets
    }

    /// Returns the rules by which secrets are found.
    #[must_use]
    pub const fn secret_rules(&self) -> SecretRules {
        self.rules
    }

    /// Returns the rules by which content is searched, if it is.
    pub(crate) fn searched_by(&self) -> Option<SecretRules> {
        (self.external && self.secrets != Secrets::Allow).then_some(self.rules)
    }

    /// Returns what was switched off: `secrets:allow` or `secrets:redact`, and
    /// `secrets:without:<rule>`.
    pub(crate) fn switches(&self) -> Vec<String> {
        if !self.external {
            return Vec::new();
        }
        let treatment = (self.secrets != Secrets::Exclude)
            .then(|| format!("secrets:{}", self.secrets.as_str()));
        let off = self
            .rules
            .off()
            .map(|rule| format!("secrets:without:{rule}"));
        treatment.into_iter().chain(off).collect()
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
