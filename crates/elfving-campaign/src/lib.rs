//! Campaigns that last: ask and tell on one durable file.
//!
//! A campaign is one SQLite file that holds an append-only log of [`Event`]s behind a hash chain, and the tables as the user
//! gave them. Its state is a replay of the events; nothing else decides. [`Campaign`] is the whole interface: create, ask,
//! tell, correct, status, export, verify.
//!
//! * An acknowledged [`tell`](Campaign::tell) is never lost and never counted twice.
//! * [`ask`](Campaign::ask) is idempotent: a batch is shown again, never redrawn, until something of it came back.
//! * Nothing that came back waits for what has not, except where a theorem needs the whole round; such a round never closes on a partial
//!   batch unless the user says so, and then nothing is guaranteed any more.
//! * Plans and decisions are on record, so a campaign replays on another machine without making them again.
//!
//! Nothing is printed here and no clock is read: times come in as [`At`].

mod ask;
mod at;
mod batch;
mod campaign;
mod chain;
mod changes;
mod documents;
mod draft;
mod engine;
mod error;
pub mod event;
mod export;
mod fates;
mod format;
mod layout;
mod listing;
mod next_batch;
mod opening;
mod outliers;
mod prior;
mod reasons;
mod recipe;
mod report;
mod results;
mod spec;
mod state;
mod statement;
mod status;
mod store;
mod story;
mod tell;
mod verify;
mod words;

pub use at::At;
pub use batch::{Batch, BatchInFull, BatchRow, Stop};
pub use campaign::{Brought, Campaign, MOST_MEASUREMENTS};
pub use chain::Digest;
pub use changes::Changed;
pub use documents::{
    ChangeRequest, CorrectDocument, LogDocument, NewDocument, ReleaseDocument, TellDocument,
    outcome_from_text,
};
pub use draft::{Draft, numbers_beside_gaps};
pub use elfving::bandit::{Advice, Limits};
pub use elfving_problem::AssumptionSpec;
pub use error::CampaignError;
pub use event::{Event, Recorded, Source};
pub use export::{Export, ExportedEvent};
pub use fates::{Fate, LineFate};
pub use format::{FORMAT, upgrade};
pub use layout::{ControlWells, FewValues, Layout, LayoutChange};
pub use listing::{CandidateList, ListedCandidate, Listing};
pub use next_batch::NextBatch;
pub use opening::{Opening, ResultsChange};
pub use outliers::Outlier;
pub use recipe::Recipe;
pub use report::number;
pub use results::ResultsFile;
pub use spec::{Aim, Meaning, Mode, OutcomeMarker, ResultsFormat, Spec, spec_for_programs};
pub use status::{AsideCandidate, CampaignStatus, Eliminated, Span, Survivor};
pub use store::{Attachment, Head, hold_creation};
pub use story::{CandidateStory, RoundStory, SlotStory};
pub use tell::{TellOptions, Told};
pub use verify::Verification;
pub use words::shell_word;
