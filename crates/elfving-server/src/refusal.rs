//! What a refused request gets: RFC 9457 problem details with the codes of the command line.

use std::path::Path;

use axum::http::StatusCode;
use elfving::units::ErrorKind;
use elfving_campaign::CampaignError;
use elfving_table::{Problem, TableError};
use serde_json::{Map, Value, json};

/// Why a request is refused.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// A code never changes its meaning.
    pub(crate) code: String,
    pub(crate) detail: String,
    pub(crate) help: Option<String>,
    /// Seconds after which to try again.
    pub(crate) retry: Option<u64>,
    /// What else there is to say.
    pub(crate) more: Map<String, Value>,
}

/// What requests are refused for, beside what campaigns refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// The request cannot be understood.
    Malformed,
    /// No valid token.
    NoToken,
    /// The token does not allow it.
    NotAllowed,
    /// Another site stands behind it.
    OtherSite,
    /// The body is too large.
    TooLarge,
    /// Too many requests.
    TooMany,
    /// There is no such thing.
    NotThere,
    /// The state that was expected is not the current one.
    Precondition,
    /// The server has its hands full.
    Busy,
    /// The body came too slowly.
    TooSlow,
    /// A key that stands for another request.
    OtherRequest,
    /// There, but not in this way.
    NoSuchMethod,
}

impl Why {
    fn named(self) -> (StatusCode, &'static str) {
        match self {
            Self::Malformed => (StatusCode::BAD_REQUEST, "E220"),
            Self::NoToken => (StatusCode::UNAUTHORIZED, "E221"),
            Self::NotAllowed => (StatusCode::FORBIDDEN, "E222"),
            Self::OtherSite => (StatusCode::FORBIDDEN, "E223"),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "E224"),
            Self::TooMany => (StatusCode::TOO_MANY_REQUESTS, "E225"),
            Self::NotThere => (StatusCode::NOT_FOUND, "E226"),
            Self::NoSuchMethod => (StatusCode::METHOD_NOT_ALLOWED, "E227"),
            Self::Precondition => (StatusCode::PRECONDITION_FAILED, "E360"),
            Self::Busy => (StatusCode::SERVICE_UNAVAILABLE, "E602"),
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "E228"),
            Self::OtherRequest => (StatusCode::UNPROCESSABLE_ENTITY, "E229"),
        }
    }
}

impl Refusal {
    pub(crate) fn new(why: Why, detail: impl Into<String>) -> Self {
        let (status, code) = why.named();
        let (code, detail) = (code.to_owned(), detail.into());
        Self { status, code, detail, help: None, retry: None, more: Map::new() }
    }

    pub(crate) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(Why::Malformed, detail)
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    #[must_use]
    pub(crate) fn retry(mut self, seconds: u64) -> Self {
        self.retry = Some(seconds);
        self
    }

    /// A bug of ours; nothing is said of what it was.
    pub(crate) fn bug() -> Self {
        let mut refusal = Self::malformed("a bug in elfving; the log of the server says more");
        (refusal.status, refusal.code) = (StatusCode::INTERNAL_SERVER_ERROR, "E101".to_owned());
        refusal
    }

    /// What a campaign refuses. The folder is nobody's business.
    pub(crate) fn of(error: &CampaignError, folder: &Path) -> Self {
        let kind = error.kind();
        let mut refusal = Self::malformed(String::new());
        refusal.status = status_of(kind);
        refusal.code = match error.code() {
            "" => first_code(error),
            code => code.to_owned(),
        };
        refusal.detail = match error {
            CampaignError::Table(TableError::Refused { problems, total }) => in_short(problems, *total),
            error => error.to_string(),
        };
        let inside = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
        refusal.detail = refusal.detail.replace(&inside, "");
        refusal.help = help(error).map(str::to_owned);
        match error {
            CampaignError::Table(table) => {
                let problems = table.problems();
                refusal.more.insert("problems".to_owned(), problems.iter().map(in_json).collect());
                refusal.more.insert("total".to_owned(), json!(table.total()));
            }
            CampaignError::MovedOn { event, .. } => {
                refusal.status = StatusCode::PRECONDITION_FAILED;
                refusal.more.insert("event".to_owned(), json!(event));
            }
            CampaignError::Unconfirmed { event, .. } => {
                refusal.more.insert("event".to_owned(), json!(event));
            }
            CampaignError::Locked { .. } => refusal.retry = Some(1),
            _ => {}
        }
        refusal
    }

    /// The problem document.
    pub(crate) fn document(&self) -> Value {
        let mut document = json!({
            "type": format!("urn:elfving:error:{}", self.code),
            "title": self.status.canonical_reason().unwrap_or("Refused"),
            "status": self.status.as_u16(),
            "detail": self.detail,
            "code": self.code,
        });
        if let Some(fields) = document.as_object_mut() {
            fields.extend(self.help.iter().map(|help| ("help".to_owned(), json!(help))));
            fields.extend(self.more.clone());
        }
        document
    }
}

/// The status of a kind of mistake: the one place that says so.
fn status_of(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Usage => StatusCode::BAD_REQUEST,
        ErrorKind::MissingFile => StatusCode::NOT_FOUND,
        ErrorKind::FileExists
        | ErrorKind::Conflict
        | ErrorKind::RoundIncomplete
        | ErrorKind::Budget
        | ErrorKind::Decision => StatusCode::CONFLICT,
        ErrorKind::Locked => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Damaged | ErrorKind::Durability | ErrorKind::Newer => StatusCode::INTERNAL_SERVER_ERROR,
        // Data, numerical trouble, and what a later version of the library may add.
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

fn first_code(error: &CampaignError) -> String {
    match error {
        CampaignError::Table(table) => {
            table.problems().first().map_or_else(|| "E301".to_owned(), |problem| problem.code.to_string())
        }
        _ => "E101".to_owned(),
    }
}

/// The first problems of a file in a line each; the rest is in the list beside it.
fn in_short(problems: &[Problem], total: usize) -> String {
    let first = problems.first().map_or_else(String::new, |problem| problem.message.clone());
    match total {
        1 => first,
        total => format!("{total} problems; the first: {first}"),
    }
}

fn in_json(problem: &Problem) -> Value {
    json!({
        "code": problem.code.to_string(),
        "file": problem.file,
        "line": problem.line(),
        "column": problem.column,
        "message": problem.message,
        "help": problem.help.as_ref().map(ToString::to_string),
    })
}

/// What to do about it, in the words of requests.
fn help(error: &CampaignError) -> Option<&'static str> {
    Some(match error {
        CampaignError::Missing { .. } => "list the campaigns; the name may be another",
        CampaignError::Exists { .. } => "choose another name; a campaign never replaces a file",
        CampaignError::Damaged { .. } => "the file was left as it is; go back to a copy and verify it",
        CampaignError::Newer { .. } => "use a newer version of elfving; the file was left as it is",
        CampaignError::Durability { .. } => "check the disk of the server; what was recorded before is safe",
        CampaignError::Unconfirmed { .. } => {
            "check the disk of the server, then send it again: nothing is counted twice"
        }
        CampaignError::Locked { .. } => "try again when the other process has finished",
        CampaignError::UnknownSlot { .. } => "the open slots have their names",
        CampaignError::Conflict { .. } => "correct the outcome, with a reason",
        CampaignError::MovedOn { .. } => "look at the campaign again, then decide",
        CampaignError::RoundIncomplete { .. } => {
            "wait for them, measure them again, or close the round without its guarantee"
        }
        CampaignError::WholeRounds { .. } => {
            "start a new campaign with the change, and give this one's export as earlier measurements"
        }
        CampaignError::OutOfRange { .. } => "bring outcomes and features to a scale near 1",
        CampaignError::NoRound => "ask starts one",
        CampaignError::Undecided { source } => return help(source),
        _ => return None,
    })
}
