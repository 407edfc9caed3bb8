//! The file format, and how older formats are read.
//!
//! | version | since | what changed |
//! |---|---|---|
//! | 1 | 0.1.0 | the first one |
//! | 2 | 0.2.0 | decisions at any time (`decided`), slots with owners (`asked`, `released`), candidates set aside (`barred`, `allowed`), questions that change (`changed`), who did it (`by`), other named outcomes (`also`), long runs of survivors as their first and last |
//!
//! A file says what it is by SQLite's `application_id` and which format it has by `user_version`. A newer format is refused
//! and left untouched. The tables of formats 1 and 2 are the same and every event of format 1 is one of format 2, so a file of
//! format 1 is read as it is, and becomes one of format 2 with the first event that is appended: in the same transaction, its events
//! and seals untouched. [`upgrade`] writes a new file instead.

use std::path::Path;

use crate::error::CampaignError;
use crate::event::Event;
use crate::store::Store;

/// `Elfv`, as SQLite's `application_id`.
pub(crate) const APPLICATION_ID: i32 = elfving_table::CAMPAIGN_APPLICATION_ID;

/// The format that this version writes.
pub const FORMAT: u32 = 2;

/// Two tables that only grow.
pub(crate) const SCHEMA: &str = "
CREATE TABLE event (
    seq  INTEGER PRIMARY KEY,
    at   INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TABLE attachment (
    hash  BLOB PRIMARY KEY,
    name  TEXT NOT NULL,
    bytes BLOB NOT NULL
) STRICT;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_is_never_removed BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never removed'); END;
CREATE TRIGGER attachment_is_never_changed BEFORE UPDATE ON attachment
    BEGIN SELECT RAISE(ABORT, 'attachments are never changed'); END;
CREATE TRIGGER attachment_is_never_removed BEFORE DELETE ON attachment
    BEGIN SELECT RAISE(ABORT, 'attachments are never removed'); END;
";

/// An event as a file of this format wrote it.
pub(crate) fn read_event(format: u32, kind: &str, body: &str) -> Result<Event, String> {
    match format {
        1 | 2 => Event::parse(kind, body),
        other => Err(format!("there was never a format {other}")),
    }
}

/// Writes the campaign of a file of any known format to a new file of the current one; the old file stays as it is.
///
/// Events keep their order, times and contents; the chain is new, since the contents may be written differently.
///
/// # Errors
/// What reading the one file and creating the other find.
pub fn upgrade(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), CampaignError> {
    let old = Store::open(from.as_ref())?;
    let events = old.events_after(&old.start())?;
    let events: Vec<_> = events.into_iter().map(|recorded| (recorded.at, recorded.event)).collect();
    Store::create(to.as_ref(), &old.attachments()?, &events).map(drop)
}
