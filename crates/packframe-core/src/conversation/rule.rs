//! The rules that messages may break.

/// A rule that a provider refuses messages by, or that says what they wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Rule {
    UnknownRole,
    MissingContent,
    EmptyContent,
    MalformedBlock,
    MalformedCall,
    EmptyToolCalls,
    CallInWrongRole,
    DuplicateCall,
    DuplicateResult,
    OrphanResult,
    ResultNotFirst,
    DanglingCall,
    PendingCall,
    NoFollower,
    BadStatus,
    FirstRole,
    LastRole,
    UnknownProgram,
    ChildAfterCompleted,
    NestedProgram,
    WrongOwner,
    ArgumentsNotString,
}

impl Rule {
    /// Every rule.
    pub(super) const ALL: [Self; 22] = [
        Self::UnknownRole,
        Self::MissingContent,
        Self::EmptyContent,
        Self::MalformedBlock,
        Self::MalformedCall,
        Self::EmptyToolCalls,
        Self::CallInWrongRole,
        Self::DuplicateCall,
        Self::DuplicateResult,
        Self::OrphanResult,
        Self::ResultNotFirst,
        Self::DanglingCall,
        Self::PendingCall,
        Self::NoFollower,
        Self::BadStatus,
        Self::FirstRole,
        Self::LastRole,
        Self::UnknownProgram,
        Self::ChildAfterCompleted,
        Self::NestedProgram,
        Self::WrongOwner,
        Self::ArgumentsNotString,
    ];

    /// Returns its stable word.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownRole => "unknown_role",
            Self::MissingContent => "missing_content",
            Self::EmptyContent => "empty_content",
            Self::MalformedBlock => "malformed_block",
            Self::MalformedCall => "malformed_call",
            Self::EmptyToolCalls => "empty_tool_calls",
            Self::CallInWrongRole => "call_in_wrong_role",
            Self::DuplicateCall => "duplicate_call",
            Self::DuplicateResult => "duplicate_result",
            Self::OrphanResult => "orphan_result",
            Self::ResultNotFirst => "result_not_first",
            Self::DanglingCall => "dangling_call",
            Self::PendingCall => "pending_call",
            Self::NoFollower => "no_follower",
            Self::BadStatus => "bad_status",
            Self::FirstRole => "first_role",
            Self::LastRole => "last_role",
            Self::UnknownProgram => "unknown_program",
            Self::ChildAfterCompleted => "child_after_completed",
            Self::NestedProgram => "nested_program",
            Self::WrongOwner => "wrong_owner",
            Self::ArgumentsNotString => "arguments_not_string",
        }
    }
}
