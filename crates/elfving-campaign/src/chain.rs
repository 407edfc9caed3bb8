//! The hash chain: every event seals all events before it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::at::At;

/// A SHA-256 digest, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// What comes before the first event.
    pub(crate) const BEFORE_ALL: Digest = Digest([0; 32]);

    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// From the 32 bytes of a record; `None` for any other number of them.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The seal of event `seq`: SHA-256 over the seal before it and the event's own fields, each behind its length.
pub(crate) fn seal(before: &Digest, seq: u64, at: At, kind: &str, body: &str) -> Digest {
    let mut hash = Sha256::new();
    let fields: [&[u8]; 5] =
        [before.bytes(), &seq.to_le_bytes(), &at.0.to_le_bytes(), kind.as_bytes(), body.as_bytes()];
    for field in fields {
        hash.update((field.len() as u64).to_le_bytes());
        hash.update(field);
    }
    Digest(hash.finalize().into())
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("{text:?} is not a digest of 64 hexadecimal digits");
        if text.len() != 64 || !text.is_ascii() {
            return Err(refused());
        }
        let mut bytes = [0; 32];
        for (byte, at) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| refused())?;
        }
        Ok(Self(bytes))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_that_of_the_standard_and_survives_its_text() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").to_string(), abc);
        assert_eq!(abc.parse(), Ok(Digest::of(b"abc")));
        assert!("ba78".parse::<Digest>().is_err());
    }

    #[test]
    fn every_field_changes_the_seal_and_none_flows_into_its_neighbour() {
        let first = Digest::BEFORE_ALL;
        let base = seal(&first, 1, At(2), "told", "{}");
        assert_ne!(base, seal(&base, 1, At(2), "told", "{}"));
        assert_ne!(base, seal(&first, 2, At(2), "told", "{}"));
        assert_ne!(base, seal(&first, 1, At(3), "told", "{}"));
        assert_ne!(base, seal(&first, 1, At(2), "tol", "d{}"));
        assert_ne!(base, seal(&first, 1, At(2), "told", "{ }"));
    }

    #[test]
    fn the_seal_is_pinned_because_files_depend_on_it() {
        let pinned = seal(&Digest::BEFORE_ALL, 1, At(1000), "told", "{\"results\":[]}").to_string();
        assert_eq!(pinned, "431a2403ce255762c5de567844941f022698ebced2e8357146724f332c0200d0");
    }
}
