//! Uploads that somebody looks at before they decide: kept for a while, for them alone.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use elfving_campaign::{At, Attachment};

use crate::random::{hex, random};

/// Uploads at a time; when there are more, the oldest go.
const MOST: usize = 16;
/// How long, in milliseconds.
const KEPT: u64 = 3600 * 1000;

/// An upload with what was said beside it.
#[derive(Debug, Clone)]
pub(crate) struct Upload {
    /// The key of who sent it.
    pub(crate) who: String,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) files: Vec<(String, Attachment)>,
}

/// Uploads by key.
#[derive(Debug, Default)]
pub(crate) struct Stash {
    kept: Mutex<HashMap<String, (Upload, At)>>,
}

impl Stash {
    pub(crate) fn keep(&self, upload: Upload, at: At) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, (_, since)| at.0 < since.0 + KEPT);
        if kept.len() >= MOST
            && let Some(oldest) =
                kept.iter().min_by_key(|(_, (_, since))| since.0).map(|(key, _)| key.clone())
        {
            kept.remove(&oldest);
        }
        let key = hex(&random::<16>());
        kept.insert(key.clone(), (upload, at));
        key
    }

    /// The upload, for who sent it.
    pub(crate) fn find(&self, key: &str, who: &str, at: At) -> Option<Upload> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (upload, since) = kept.get(key)?;
        (upload.who == who && at.0 < since.0 + KEPT).then(|| upload.clone())
    }

    pub(crate) fn forget(&self, key: &str) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }
}
