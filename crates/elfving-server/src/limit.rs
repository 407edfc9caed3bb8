//! How much one asker may ask: a bucket that fills again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Askers that are remembered; when there are more, all begin anew.
const MOST: usize = 10_000;

/// Buckets by asker.
#[derive(Debug)]
pub(crate) struct Limiter {
    per_second: f64,
    most: f64,
    buckets: Mutex<HashMap<String, (f64, Instant)>>,
}

impl Limiter {
    pub(crate) fn new(per_second: f64, most: f64) -> Self {
        Self { per_second, most, buckets: Mutex::default() }
    }

    /// Takes one; false when the bucket is empty.
    pub(crate) fn take(&self, who: &str, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST && !buckets.contains_key(who) {
            buckets.clear();
        }
        let (left, since) = buckets.entry(who.to_owned()).or_insert((self.most, now));
        let refilled = self.per_second * now.saturating_duration_since(*since).as_secs_f64();
        *left = (*left + refilled).min(self.most);
        *since = now;
        if *left < 1.0 {
            return false;
        }
        *left -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let (limiter, start) = (Limiter::new(2.0, 3.0), Instant::now());
        let taken = (0..5).filter(|_| limiter.take("a", start)).count();
        assert_eq!(taken, 3);
        assert!(limiter.take("b", start), "another asker has a bucket of its own");
        assert!(!limiter.take("a", start + Duration::from_millis(400)));
        assert!(limiter.take("a", start + Duration::from_millis(1000)));
    }
}
