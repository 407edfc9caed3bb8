//! Counts for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How many, and how long in all, by route and status.
type Counts = BTreeMap<(&'static str, u16), (u64, Duration)>;

/// What was asked and how long it took, by route and status.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: Mutex<Counts>,
}

impl Metrics {
    pub(crate) fn count(&self, route: &'static str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, sum) = requests.entry((route, status)).or_default();
        *count += 1;
        *sum += took;
    }

    /// The text format, with gauges beside the counts.
    pub(crate) fn text(&self, gauges: &[(&str, &str, u64)]) -> String {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut text = String::new();
        let mut family = |name: &str, help: &str, kind: &str, lines: &mut dyn Iterator<Item = String>| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            lines.for_each(|line| text.push_str(&line));
        };
        let labels = |(route, status): &(&str, u16)| format!("{{route=\"{route}\",status=\"{status}\"}}");
        let name = "elfving_requests_total";
        let mut counts = requests.iter().map(|(key, (count, _))| format!("{name}{} {count}\n", labels(key)));
        family(name, "Requests answered.", "counter", &mut counts);
        let name = "elfving_request_seconds_total";
        let seconds = |(key, (_, sum)): (&(&str, u16), &(u64, Duration))| {
            format!("{name}{} {:.6}\n", labels(key), sum.as_secs_f64())
        };
        family(name, "Time spent on them.", "counter", &mut requests.iter().map(seconds));
        for (name, help, value) in gauges {
            family(name, help, "gauge", &mut std::iter::once(format!("{name} {value}\n")));
        }
        text
    }
}
