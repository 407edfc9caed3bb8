//! One SQLite file: an append-only log of events, and the files they speak of.
//!
//! SQLite gives atomic, durable appends and locks between processes. The rest is here: an event goes in only behind the head
//! that its writer has seen, so whoever decides decides about the current state.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, params};

use crate::at::At;
use crate::chain::{Digest, seal};
use crate::error::CampaignError;
use crate::event::{Event, Recorded};
use crate::format::{APPLICATION_ID, FORMAT, SCHEMA, read_event};

/// How long to wait for another process.
const PATIENCE: Duration = Duration::from_secs(5);

/// Held while a new campaign takes its place.
static CREATING: Mutex<()> = Mutex::new(());

/// Waits until no campaign is being created in this process, and lets none begin: a program that is told to end leaves no
/// unfinished file behind.
pub fn hold_creation() -> MutexGuard<'static, ()> {
    CREATING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that belongs to the campaign, as the user gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, whose extension says how to read it.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Attachment {
    /// A file by name and content.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }

    /// What events call it.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.bytes)
    }
}

/// The last event of a log, as far as somebody has seen it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Its number; 0 before the first.
    pub event: u64,
    /// Its seal.
    pub hash: Digest,
}

/// An open campaign file.
#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
    format: u32,
}

impl Store {
    /// Writes a new file under a temporary name and gives it its own when it is complete.
    pub(crate) fn create(
        path: &Path,
        attachments: &[Attachment],
        events: &[(At, Event)],
    ) -> Result<Self, CampaignError> {
        let exists = || CampaignError::Exists { path: path.to_owned() };
        if path.symlink_metadata().is_ok() {
            return Err(exists());
        }
        let refused =
            |error: io::Error| CampaignError::Durability { path: path.to_owned(), what: error.to_string() };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let whole = hold_creation();
        let unfinished = tempfile::Builder::new()
            .prefix(".new-")
            .suffix(".elfving")
            .tempfile_in(folder)
            .map_err(refused)?;
        let unfinished = unfinished.into_temp_path();
        write_all(&unfinished, attachments, events).map_err(|error| named(path, error))?;
        allow_reading(&unfinished).map_err(refused)?;
        unfinished.persist_noclobber(path).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => exists(),
            _ => refused(error.error),
        })?;
        drop(whole);
        sync_folder(folder).map_err(|error| CampaignError::Unconfirmed {
            path: path.to_owned(),
            what: error.to_string(),
            event: events.len() as u64,
        })?;
        Self::open(path)
    }

    /// Opens a file to read it and, where the operating system allows it, to append.
    pub(crate) fn open(path: &Path) -> Result<Self, CampaignError> {
        // SQLite says of a file that cannot be read that it cannot be opened.
        fs::File::open(path).map_err(|source| CampaignError::Missing { path: path.to_owned(), source })?;
        let failed = |error| named(path, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        if pragma("application_id").map_err(failed)? != i64::from(APPLICATION_ID) {
            return Err(CampaignError::NotACampaign { path: path.to_owned() });
        }
        let format = u32::try_from(pragma("user_version").map_err(failed)?).unwrap_or(u32::MAX);
        if format > FORMAT {
            return Err(CampaignError::Newer { path: path.to_owned(), found: format, known: FORMAT });
        }
        durable(&connection).map_err(failed)?;
        Ok(Self { connection, path: path.to_owned(), format })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Before the first event.
    pub(crate) fn start(&self) -> Head {
        Head { event: 0, hash: Digest::BEFORE_ALL }
    }

    /// The event of that number as a head; none where the log has not got there.
    pub(crate) fn head_at(&self, event: u64) -> Result<Option<Head>, CampaignError> {
        if event == 0 {
            return Ok(Some(self.start()));
        }
        let Ok(seq) = i64::try_from(event) else { return Ok(None) };
        let sql = "SELECT hash FROM event WHERE seq = ?1";
        let read = |row: &rusqlite::Row| row.get::<_, Vec<u8>>(0);
        let found =
            self.connection.query_row(sql, [seq], read).optional().map_err(|error| self.failed(error))?;
        let hash = found.map(|hash| {
            Digest::from_bytes(&hash).ok_or_else(|| self.damaged(format!("event {event} has no hash")))
        });
        Ok(hash.transpose()?.map(|hash| Head { event, hash }))
    }

    /// Every event behind the head, each checked against the seal before it. Cost: one pass over the new events.
    pub(crate) fn events_after(&self, head: &Head) -> Result<Vec<Recorded>, CampaignError> {
        let failed = |error| self.failed(error);
        let sql = "SELECT seq, at, kind, body, hash FROM event WHERE seq > ?1 ORDER BY seq";
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        let mut rows = statement.query([head.event as i64]).map_err(failed)?;
        let mut events = Vec::new();
        let mut head = *head;
        while let Some(row) = rows.next().map_err(failed)? {
            let row = Row::read(row).map_err(failed)?;
            let recorded = row.checked(&head, self.format).map_err(|what| self.damaged(what))?;
            head = Head { event: recorded.seq, hash: recorded.hash };
            events.push(recorded);
        }
        Ok(events)
    }

    /// Appends the events behind `head` and the files they speak of, all or none, durable when this returns. `None` when another
    /// process was there first.
    pub(crate) fn append(
        &mut self,
        head: &Head,
        at: At,
        events: &[Event],
        attachments: &[Attachment],
    ) -> Result<Option<Vec<Digest>>, CampaignError> {
        let path = self.path.clone();
        let failed = |error| named(&path, error);
        let behaviour = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behaviour).map_err(failed)?;
        if last(&transaction).map_err(failed)? != Some(*head) {
            return Ok(None);
        }
        attach(&transaction, attachments).map_err(failed)?;
        let hashes = insert(&transaction, head, events.iter().map(|event| (at, event))).map_err(failed)?;
        if self.format < FORMAT {
            transaction.pragma_update(None, "user_version", FORMAT).map_err(failed)?;
        }
        if let Err(error) = transaction.commit() {
            let event = head.event + hashes.len() as u64;
            return Err(match hashes.last().is_some_and(|hash| is_on_record(&path, event, hash)) {
                true => CampaignError::Unconfirmed { path, what: error.to_string(), event },
                false => failed(error),
            });
        }
        self.format = FORMAT;
        Ok(Some(hashes))
    }

    /// The file of that digest, its bytes checked.
    pub(crate) fn attachment(&self, digest: &Digest) -> Result<Attachment, CampaignError> {
        let sql = "SELECT name, bytes FROM attachment WHERE hash = ?1";
        let read = |row: &rusqlite::Row| Ok(Attachment { name: row.get(0)?, bytes: row.get(1)? });
        let found = self.connection.query_row(sql, [&digest.bytes()[..]], read).optional();
        match found.map_err(|error| self.failed(error))? {
            Some(attachment) if attachment.digest() == *digest => Ok(attachment),
            Some(attachment) => {
                Err(self.damaged(format!("the bytes of the attachment {:?} changed", attachment.name)))
            }
            None => Err(self.damaged(format!("the attachment {digest} is missing"))),
        }
    }

    /// All files, in the order in which they were added.
    pub(crate) fn attachments(&self) -> Result<Vec<Attachment>, CampaignError> {
        let failed = |error| self.failed(error);
        let mut statement =
            self.connection.prepare("SELECT hash FROM attachment ORDER BY rowid").map_err(failed)?;
        let hashes = statement.query_map([], |row| row.get::<_, Vec<u8>>(0)).map_err(failed)?;
        let mut attachments = Vec::new();
        for hash in hashes {
            let digest = Digest::from_bytes(&hash.map_err(failed)?)
                .ok_or_else(|| self.damaged("an attachment has no digest".to_owned()))?;
            attachments.push(self.attachment(&digest)?);
        }
        Ok(attachments)
    }

    /// What SQLite finds wrong with the file itself.
    pub(crate) fn check_pages(&self) -> Result<(), CampaignError> {
        let check = self.connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
        match check.map_err(|error| self.failed(error))?.as_str() {
            "ok" => Ok(()),
            problem => Err(self.damaged(problem.to_owned())),
        }
    }

    pub(crate) fn damaged(&self, what: String) -> CampaignError {
        CampaignError::Damaged { path: self.path.clone(), what }
    }

    fn failed(&self, error: rusqlite::Error) -> CampaignError {
        named(&self.path, error)
    }
}

/// One line of the log as it stands in the file.
struct Row {
    seq: u64,
    at: At,
    kind: String,
    body: String,
    hash: Vec<u8>,
}

impl Row {
    fn read(row: &rusqlite::Row) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: row.get::<_, i64>(0)? as u64,
            at: At(row.get::<_, i64>(1)? as u64),
            kind: row.get(2)?,
            body: row.get(3)?,
            hash: row.get(4)?,
        })
    }

    /// The event, if it follows `head`.
    fn checked(self, head: &Head, format: u32) -> Result<Recorded, String> {
        let Self { seq, at, kind, body, hash } = self;
        if seq != head.event + 1 {
            return Err(format!("event {} is missing", head.event + 1));
        }
        let sealed = seal(&head.hash, seq, at, &kind, &body);
        if Digest::from_bytes(&hash) != Some(sealed) {
            return Err(format!("event {seq} does not have the hash that was written with it"));
        }
        let event = read_event(format, &kind, &body).map_err(|what| format!("event {seq}: {what}"))?;
        Ok(Recorded { seq, at, event, hash: sealed })
    }
}

/// Creates the tables and fills them.
fn write_all(path: &Path, attachments: &[Attachment], events: &[(At, Event)]) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "DELETE")?;
    durable(&connection)?;
    let transaction = connection.transaction()?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", FORMAT)?;
    transaction.execute_batch(SCHEMA)?;
    attach(&transaction, attachments)?;
    let start = Head { event: 0, hash: Digest::BEFORE_ALL };
    insert(&transaction, &start, events.iter().map(|(at, event)| (*at, event)))?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)
}

fn attach(connection: &Connection, attachments: &[Attachment]) -> rusqlite::Result<()> {
    for attachment in attachments {
        let sql = "INSERT OR IGNORE INTO attachment (hash, name, bytes) VALUES (?1, ?2, ?3)";
        let hash = attachment.digest();
        connection.execute(sql, params![&hash.bytes()[..], attachment.name, attachment.bytes])?;
    }
    Ok(())
}

/// A commit is on the disk when it returns.
fn durable(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "synchronous", "EXTRA")?;
    connection.pragma_update(None, "fullfsync", "ON")
}

fn insert<'a>(
    connection: &Connection,
    head: &Head,
    events: impl Iterator<Item = (At, &'a Event)>,
) -> rusqlite::Result<Vec<Digest>> {
    let sql = "INSERT INTO event (seq, at, kind, body, hash) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut head = *head;
    let mut hashes = Vec::new();
    for (at, event) in events {
        let (seq, kind, body) = (head.event + 1, event.kind(), event.body());
        head = Head { event: seq, hash: seal(&head.hash, seq, at, kind, &body) };
        statement.execute(params![seq as i64, at.0 as i64, kind, body, &head.hash.bytes()[..]])?;
        hashes.push(head.hash);
    }
    Ok(hashes)
}

/// Whether the file has that event, as somebody who opens it now sees it: what fails last in a commit is the confirmation of the
/// disk.
fn is_on_record(path: &Path, event: u64, hash: &Digest) -> bool {
    let look = || {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let sql = "SELECT hash FROM event WHERE seq = ?1";
        connection.query_row(sql, [event as i64], |row| row.get::<_, Vec<u8>>(0))
    };
    look().is_ok_and(|found| Digest::from_bytes(&found) == Some(*hash))
}

fn last(connection: &Connection) -> rusqlite::Result<Option<Head>> {
    let sql = "SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1";
    let read = |row: &rusqlite::Row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?));
    let found = connection.query_row(sql, [], read).optional()?;
    Ok(found.and_then(|(seq, hash)| Some(Head { event: seq as u64, hash: Digest::from_bytes(&hash)? })))
}

/// What SQLite says, in our words.
fn named(path: &Path, error: rusqlite::Error) -> CampaignError {
    let path = path.to_owned();
    let what = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            CampaignError::Locked { path, seconds: PATIENCE.as_secs() }
        }
        Some(ErrorCode::NotADatabase) => CampaignError::NotACampaign { path },
        // A cell of another type, a table that is not there, a page that makes no sense.
        None | Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown | ErrorCode::ConstraintViolation) => {
            CampaignError::Damaged { path, what }
        }
        Some(_) => CampaignError::Durability { path, what },
    }
}

/// Temporary files are private; a campaign is as readable as any other file of the user.
#[cfg(unix)]
fn allow_reading(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

/// A new name is durable when its folder is.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn allow_reading(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Failing;

    #[test]
    fn events_go_in_behind_the_head_that_was_seen_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.elfving");
        let event = |slot| Event::Failed(Failing { slots: vec![slot], source: None, by: None });
        let mut one = Store::create(&path, &[], &[(At(1), event(0))]).unwrap();
        let mut two = Store::open(&path).unwrap();
        let seen = last(&one.connection).unwrap().unwrap();
        assert!(one.append(&seen, At(2), &[event(1), event(2)], &[]).unwrap().is_some());
        assert_eq!(two.append(&seen, At(3), &[event(3)], &[]).unwrap(), None, "somebody was there first");
        let behind = two.events_after(&seen).unwrap();
        assert_eq!(behind.iter().map(|recorded| recorded.seq).collect::<Vec<_>>(), [2, 3]);
        let head = Head { event: 3, hash: behind[1].hash };
        assert!(two.append(&head, At(3), &[event(3)], &[]).unwrap().is_some());
        // The right number with another history is not the same head.
        let other = Head { event: 4, hash: Digest::BEFORE_ALL };
        assert_eq!(one.append(&other, At(4), &[event(4)], &[]).unwrap(), None);
    }
}
