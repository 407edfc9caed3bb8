//! Every algorithm by name.

use super::{BanditError, Baseline, Policy, Question};

/// An algorithm of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// A baseline, without a certified stop.
    Baseline(Baseline),
}

impl Algorithm {
    /// All of them, certified ones first.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        Baseline::ALL.into_iter().map(Algorithm::Baseline)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Baseline(baseline) => baseline.name(),
        }
    }

    /// The policy that answers a question.
    ///
    /// # Errors
    /// What the algorithm finds wrong with the question: another goal, an assumption that is missing.
    pub fn start(self, question: Question) -> Result<Box<dyn Policy>, BanditError> {
        match self {
            Algorithm::Baseline(baseline) => baseline.start(question),
        }
    }
}
