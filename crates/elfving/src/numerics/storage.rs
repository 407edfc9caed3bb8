//! Where the entries of a matrix lie: with the matrix, or with somebody else.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Entries that somebody else keeps, for as long as anyone holds on to them. They must not change meanwhile.
pub type SharedEntries = Arc<dyn AsRef<[f64]> + Send + Sync>;

/// Entries of our own, or shared ones that are copied when they are written to.
#[derive(Clone)]
pub(super) enum Storage {
    Own(Vec<f64>),
    Shared(SharedEntries),
}

impl Storage {
    /// Without copying where they are our own.
    pub(super) fn into_vec(self) -> Vec<f64> {
        match self {
            Storage::Own(entries) => entries,
            Storage::Shared(entries) => (*entries).as_ref().to_vec(),
        }
    }
}

impl From<Vec<f64>> for Storage {
    fn from(entries: Vec<f64>) -> Self {
        Storage::Own(entries)
    }
}

impl Deref for Storage {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Storage::Own(entries) => entries,
            Storage::Shared(entries) => (**entries).as_ref(),
        }
    }
}

impl DerefMut for Storage {
    fn deref_mut(&mut self) -> &mut [f64] {
        if let Storage::Shared(entries) = self {
            *self = Storage::Own((**entries).as_ref().to_vec());
        }
        match self {
            Storage::Own(entries) => entries,
            Storage::Shared(_) => unreachable!("shared entries were copied"),
        }
    }
}

impl PartialEq for Storage {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Serialize for Storage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}
