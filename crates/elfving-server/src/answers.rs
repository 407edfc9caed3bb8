//! Answers that are given again: a request that is sent again with its `Idempotency-Key` is not done again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use elfving_campaign::At;

use crate::refusal::{Refusal, Why};

/// Answers that are kept; when there are more, the oldest go.
const MOST: usize = 10_000;
/// The longest key.
pub(crate) const LONGEST: usize = 200;
/// How long, in milliseconds.
const KEPT: u64 = 24 * 3600 * 1000;

/// Answers by asker, campaign and key.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    kept: Mutex<HashMap<String, Kept>>,
}

#[derive(Debug)]
struct Kept {
    request: Vec<u8>,
    answer: Vec<u8>,
    at: At,
}

impl Answers {
    /// What was answered before; refused where the key stands for another request.
    pub(crate) fn find(&self, key: &str, request: &[u8], at: At) -> Result<Option<Vec<u8>>, Refusal> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get(key).filter(|kept| at.0 < kept.at.0 + KEPT) {
            Some(kept) if kept.request == request => Ok(Some(kept.answer.clone())),
            Some(_) => {
                Err(Refusal::new(Why::OtherRequest, "this Idempotency-Key came with another request before")
                    .help("use a new key for a new request"))
            }
            None => Ok(None),
        }
    }

    pub(crate) fn keep(&self, key: String, request: &[u8], answer: &[u8], at: At) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.retain(|_, kept| at.0 < kept.at.0 + KEPT);
        }
        if kept.len() >= MOST
            && let Some(oldest) = kept.iter().min_by_key(|(_, kept)| kept.at.0).map(|(key, _)| key.clone())
        {
            kept.remove(&oldest);
        }
        kept.insert(key, Kept { request: request.to_vec(), answer: answer.to_vec(), at });
    }
}
