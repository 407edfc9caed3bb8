//! Tokens: who may do what, where, until when.
//!
//! A token is shown once. The folder keeps one file per token, `.tokens/ID.json`, with the SHA-256 of its secret; a secret of 256
//! random bits needs no slower hash. What is changed there counts at once, in every server on the folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use elfving::named::named_enum;
use elfving_campaign::At;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::name::Name;
use crate::random::{hex, random};

named_enum! {
    /// What a request needs, and what a token allows.
    pub enum Scope: "scope" {
        /// Look at everything.
        Read = "read": "Look at everything",
        /// Take slots and give them back.
        Ask = "ask": "Take slots and give them back",
        /// Record and correct results.
        Tell = "tell": "Record and correct results",
        /// Create campaigns and change them; everything else, too.
        Admin = "admin": "Create campaigns and change them; everything else, too",
    }
}

/// What is on record about a token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// Names the record; part of the token.
    pub id: String,
    /// Whose it is: every event says so.
    pub name: String,
    /// What it allows. Each allows to read.
    pub scopes: Vec<Scope>,
    /// The campaigns it is for; all where there are none.
    pub campaigns: Vec<String>,
    /// When it was made.
    pub created: At,
    /// From when on it is worth nothing.
    pub expires: Option<At>,
    /// When it was revoked.
    pub revoked: Option<At>,
    /// The SHA-256 of the secret.
    sha256: String,
}

impl TokenRecord {
    /// Whether it allows that, with one campaign or (without a name) with none in particular.
    pub(crate) fn allows(&self, scope: Scope, campaign: Option<&Name>) -> bool {
        let may = scope == Scope::Read || self.scopes.iter().any(|own| *own == scope || *own == Scope::Admin);
        may && campaign.is_none_or(|name| self.is_for(name))
    }

    /// Whether it is for that campaign.
    pub(crate) fn is_for(&self, campaign: &Name) -> bool {
        self.campaigns.is_empty() || self.campaigns.iter().any(|own| own == campaign.as_str())
    }

    /// Whether it is worth anything.
    pub fn is_valid(&self, at: At) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| at < expires)
    }
}

/// Why there is no such token, or none can be kept.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The folder does not take it, or cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or the folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file that holds no token.
    #[error("{}: not the record of a token: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// No token of that id or name.
    #[error("there is no token {0:?}")]
    Unknown(String),
    /// What was asked for is no token.
    #[error("{0}")]
    Invalid(String),
}

/// What a new token is to be.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Whose it is.
    pub name: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// The campaigns it is for; all where there are none.
    pub campaigns: Vec<String>,
    /// From when on it is worth nothing.
    pub expires: Option<At>,
}

/// The tokens of a folder of campaigns.
#[derive(Debug, Clone)]
pub struct Tokens {
    folder: PathBuf,
}

/// What every token begins with, so that a search for leaked secrets finds it.
const PREFIX: &str = "elfving_";
/// Bytes of an id.
const ID: usize = 8;

impl Tokens {
    /// Those of a folder of campaigns.
    pub fn of(campaigns: &Path) -> Self {
        Self { folder: campaigns.join(".tokens") }
    }

    /// Makes a token: its record, and the text that is shown once.
    ///
    /// # Errors
    /// A name that is empty, a campaign that has no such name, no scope; a folder that does not take it.
    pub fn make(&self, new: NewToken, at: At) -> Result<(TokenRecord, String), TokenError> {
        let NewToken { name, scopes, campaigns, expires } = new;
        let invalid = |what: &str| Err(TokenError::Invalid(what.to_owned()));
        if name.trim().is_empty() || name.len() > 100 || name.chars().any(char::is_control) {
            return invalid("a token has the name of who uses it: 1 to 100 characters");
        }
        if let Some(wrong) = campaigns.iter().find(|campaign| Name::new(campaign).is_none()) {
            return Err(TokenError::Invalid(format!("{wrong:?} names no campaign: {}", crate::name::RULE)));
        }
        if scopes.is_empty() {
            return invalid("a token allows something: read, ask, tell or admin");
        }
        if expires.is_some_and(|expires| expires <= at) {
            return invalid("a token expires in the future");
        }
        let (id, secret) = (hex(&random::<ID>()), hex(&random::<32>()));
        let sha256 = digest(&secret);
        let record = TokenRecord { id, name, scopes, campaigns, created: at, expires, revoked: None, sha256 };
        let failed = |source| TokenError::Io { path: self.folder.clone(), source };
        private_folder(&self.folder).map_err(failed)?;
        self.write(&record)?;
        let shown = format!("{PREFIX}{}_{secret}", record.id);
        Ok((record, shown))
    }

    /// All of them, by name.
    ///
    /// # Errors
    /// A folder or a record that cannot be read.
    pub fn list(&self) -> Result<Vec<TokenRecord>, TokenError> {
        let failed = |source| TokenError::Io { path: self.folder.clone(), source };
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let mut records = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".json"));
            if let Some(id) = id.filter(|id| is_id(id)) {
                records.extend(self.read(id)?);
            }
        }
        records.sort_by(|one, other| (&one.name, one.created.0).cmp(&(&other.name, other.created.0)));
        Ok(records)
    }

    /// Whether there are any, valid or not: then nobody gets in without one. A folder that cannot be read counts as one with tokens.
    pub(crate) fn any(&self) -> bool {
        match fs::read_dir(&self.folder) {
            Err(error) => error.kind() != io::ErrorKind::NotFound,
            Ok(entries) => entries.count() > 0,
        }
    }

    /// Makes tokens worthless from here on: the one of that id, or all of that name. Says how many.
    ///
    /// # Errors
    /// [`TokenError::Unknown`], and a folder that does not take it.
    pub fn revoke(&self, which: &str, at: At) -> Result<usize, TokenError> {
        let mut found: Vec<TokenRecord> =
            self.list()?.into_iter().filter(|token| token.id == which || token.name == which).collect();
        if found.is_empty() {
            return Err(TokenError::Unknown(which.to_owned()));
        }
        found.retain(|token| token.revoked.is_none());
        for token in &found {
            self.write(&TokenRecord { revoked: Some(at), ..token.clone() })?;
        }
        Ok(found.len())
    }

    /// Whose token it is, if it is worth anything. The secret is compared in constant time.
    pub(crate) fn holder(&self, token: &str, at: At) -> Option<TokenRecord> {
        let (id, secret) = token.strip_prefix(PREFIX)?.split_once('_')?;
        let record = self.valid(id, at)?;
        equal(digest(secret).as_bytes(), record.sha256.as_bytes()).then_some(record)
    }

    /// The token of that id, if it is worth anything: a session asks again with every request.
    pub(crate) fn valid(&self, id: &str, at: At) -> Option<TokenRecord> {
        let record = is_id(id).then(|| self.read(id)).and_then(Result::ok).flatten()?;
        record.is_valid(at).then_some(record)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn read(&self, id: &str) -> Result<Option<TokenRecord>, TokenError> {
        let path = self.path(id);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(TokenError::Io { path, source }),
            Ok(bytes) => bytes,
        };
        let damaged = |what: String| TokenError::Damaged { path: path.clone(), what };
        let record: TokenRecord =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        match record.id == id {
            true => Ok(Some(record)),
            false => Err(damaged("it is called otherwise".to_owned())),
        }
    }

    /// Whole or not at all, and for nobody else to read.
    fn write(&self, record: &TokenRecord) -> Result<(), TokenError> {
        let path = self.path(&record.id);
        let text = serde_json::to_string_pretty(record).expect("text and numbers have a JSON form");
        let written = || -> io::Result<()> {
            // Such files are private from the start.
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|error| error.error)?;
            Ok(())
        };
        written().map_err(|source| TokenError::Io { path, source })
    }
}

fn is_id(text: &str) -> bool {
    text.len() == 2 * ID && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(crate) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// Whether two texts are the same, in a time that does not tell where they differ.
pub(crate) fn equal(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |sum, (one, other)| sum | (one ^ other));
    // The compiler must not stop at the first difference.
    one.len() == other.len() && std::hint::black_box(differing) == 0
}

#[cfg(unix)]
fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str) -> NewToken {
        NewToken {
            name: name.to_owned(),
            scopes: vec![Scope::Ask],
            campaigns: Vec::new(),
            expires: Some(At(100)),
        }
    }

    #[test]
    fn a_token_is_worth_something_until_it_expires_or_is_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::of(folder.path());
        assert!(!tokens.any());
        let (record, shown) = tokens.make(new("robot"), At(1)).unwrap();
        assert!(tokens.any());
        assert_eq!(tokens.holder(&shown, At(99)).as_ref(), Some(&record));
        assert_eq!(tokens.holder(&shown, At(100)), None, "expired");
        let kept = fs::read_to_string(tokens.path(&record.id)).unwrap();
        let secret = shown.rsplit('_').next().unwrap();
        assert_eq!(secret.len(), 64);
        assert!(!kept.contains(secret), "the secret is not on record");
        // One digit of the secret off.
        let wrong = format!("{}{}", &shown[..shown.len() - 1], if shown.ends_with('0') { '1' } else { '0' });
        assert_eq!(tokens.holder(&wrong, At(2)), None);
        assert_eq!(tokens.revoke("robot", At(3)).unwrap(), 1);
        assert_eq!(tokens.holder(&shown, At(3)), None, "revoked");
        assert!(matches!(tokens.revoke("nobody", At(3)), Err(TokenError::Unknown(_))));
    }

    #[test]
    fn an_id_is_never_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::of(folder.path());
        let (record, _) = tokens.make(new("robot"), At(1)).unwrap();
        for id in ["../x", "", ".", &record.id.to_uppercase(), &format!("{}/", record.id)] {
            assert!(id == record.id || tokens.valid(id, At(2)).is_none(), "{id}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn records_are_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::of(folder.path());
        let (record, _) = tokens.make(new("robot"), At(1)).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&tokens.folder), mode(&tokens.path(&record.id))), (0o700, 0o600));
    }

    #[test]
    fn comparing_is_right() {
        assert!(equal(b"abc", b"abc") && !equal(b"abc", b"abd") && !equal(b"abc", b"ab") && equal(b"", b""));
    }
}
