//! The rules, by name.

use crate::error::Error;
use crate::nearest::nearest;

/// A kind of secret that is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Rule {
    PrivateKey,
    AwsAccessKeyId,
    AwsSecretKey,
    GithubToken,
    SlackToken,
    SlackWebhook,
    GoogleApiKey,
    GoogleOauth,
    StripeKey,
    AnthropicKey,
    OpenAiKey,
    GitlabToken,
    NpmToken,
    PypiToken,
    HuggingFaceToken,
    VendorToken,
    Jwt,
    BearerToken,
    BasicAuth,
    UriCredentials,
    Assignment,
    Argument,
    CommandLine,
    Sentence,
}

/// All rules. Of two that claim the same bytes, the first gives its name.
pub(super) const RULES: [Rule; 24] = [
    Rule::PrivateKey,
    Rule::AwsAccessKeyId,
    Rule::AwsSecretKey,
    Rule::GithubToken,
    Rule::SlackToken,
    Rule::SlackWebhook,
    Rule::GoogleApiKey,
    Rule::GoogleOauth,
    Rule::StripeKey,
    Rule::AnthropicKey,
    Rule::OpenAiKey,
    Rule::GitlabToken,
    Rule::NpmToken,
    Rule::PypiToken,
    Rule::HuggingFaceToken,
    Rule::VendorToken,
    Rule::Jwt,
    Rule::BearerToken,
    Rule::BasicAuth,
    Rule::UriCredentials,
    Rule::Assignment,
    Rule::Argument,
    Rule::CommandLine,
    Rule::Sentence,
];

impl Rule {
    /// Returns the stable name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::PrivateKey => "private_key",
            Self::AwsAccessKeyId => "aws_access_key_id",
            Self::AwsSecretKey => "aws_secret_key",
            Self::GithubToken => "github_token",
            Self::SlackToken => "slack_token",
            Self::SlackWebhook => "slack_webhook",
            Self::GoogleApiKey => "google_api_key",
            Self::GoogleOauth => "google_oauth",
            Self::StripeKey => "stripe_key",
            Self::AnthropicKey => "anthropic_key",
            Self::OpenAiKey => "openai_key",
            Self::GitlabToken => "gitlab_token",
            Self::NpmToken => "npm_token",
            Self::PypiToken => "pypi_token",
            Self::HuggingFaceToken => "huggingface_token",
            Self::VendorToken => "vendor_token",
            Self::Jwt => "jwt",
            Self::BearerToken => "bearer_token",
            Self::BasicAuth => "basic_auth",
            Self::UriCredentials => "uri_credentials",
            Self::Assignment => "assignment",
            Self::Argument => "argument",
            Self::CommandLine => "command_line",
            Self::Sentence => "sentence",
        }
    }

    /// Returns its bit in a set of rules.
    pub(super) const fn bit(self) -> u32 {
        1 << self as u8
    }

    /// Finds a rule by its name.
    ///
    /// # Errors
    ///
    /// `InvalidOption` with the nearest name.
    pub(super) fn named(name: &str) -> Result<Self, Error> {
        RULES
            .into_iter()
            .find(|rule| rule.name() == name)
            .ok_or_else(|| {
                let near = nearest(name, RULES.iter().map(|rule| rule.name()));
                let near = near.map(|name| format!("'{name}'"));
                Error::invalid_option(
                    "without",
                    format!("'{name}'"),
                    "is no rule for secrets",
                    near.as_deref(),
                )
            })
    }
}
