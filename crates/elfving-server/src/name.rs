//! Names of campaigns: never paths.

use std::fmt;
use std::path::{Path, PathBuf};

use elfving_table::CAMPAIGN_EXTENSION;

/// The most characters of a name.
const MOST: usize = 64;

/// What a name may be, in words.
pub(crate) const RULE: &str = "a name has 1 to 64 letters (a-z, A-Z), digits, and . _ - inside, and begins and ends with a letter or a digit";

/// The name of a campaign: it stands for one file of the folder, and cannot stand for another.
///
/// ```
/// use elfving_server::Name;
/// assert!(Name::new("screen-2026.v2").is_some());
/// for path in ["", ".", "..", "../x", "a/b", "a\\b", "C:x", ".hidden", "a..b", "a.", "a b", "a\0", "%2e%2e"] {
///     assert!(Name::new(path).is_none(), "{path}");
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The name, if it is one.
    pub fn new(text: &str) -> Option<Self> {
        let inside = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let at_an_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = text.as_bytes();
        let is_one = (1..=MOST).contains(&bytes.len())
            && bytes.iter().copied().all(inside)
            && at_an_end(bytes.first())
            && at_an_end(bytes.last())
            && !text.contains("..");
        is_one.then(|| Self(text.to_owned()))
    }

    /// The campaign's file in a folder.
    pub(crate) fn file(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.{CAMPAIGN_EXTENSION}", self.0))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
