//! The roundings by name.

use crate::named::named_enum;
use std::fmt;

use super::report::Rounded;
use super::{
    Apportionment, BestRounding, Caratheodory, Ceiling, ExactSearch, Exchange, GreedyVariance,
    ProjectThenRound, RegretMinimisation, Request, RoundingError,
};

/// A way from weights to counts.
pub trait Rounding: fmt::Debug {
    /// The name used on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Counts within the constraints of the request, and what they are worth.
    ///
    /// # Errors
    /// Only for the settings of the method itself: a [`Request`] is checked when it is made.
    fn round(&self, request: &Request) -> Result<Rounded, RoundingError>;
}

named_enum! {
    /// The roundings of this module with their default settings.
    ///
    /// ```
    /// use elfving::rounding::Method;
    /// assert_eq!(Method::Regret.rounding().name(), "regret");
    /// assert!(Method::ALL.iter().all(|method| method.rounding().name() == method.name()));
    /// ```
    pub enum Method: "method" {
        /// [`Ceiling`].
        Ceiling = "ceiling": "Round every quota up: more measurements than asked for, never less information",
        /// [`Apportionment`].
        Apportion = "apportion": "Efficient apportionment: good when the budget is several times the candidates with weight",
        /// [`Caratheodory`].
        Caratheodory = "caratheodory": "The same information from fewer candidates, then apportionment",
        /// [`RegretMinimisation`].
        Regret = "regret": "Regret minimisation: with a guarantee, also for budgets near the dimension",
        /// [`ProjectThenRound`].
        Ptr = "ptr": "The paper's project-then-round, checked afterwards",
        /// [`GreedyVariance`].
        Greedy = "greedy": "Measure where the uncertainty is largest, one measurement after the other",
        /// [`Apportionment`], improved by [`Exchange`].
        Exchange = "exchange": "Apportionment, then exchanges",
        /// [`BestRounding`].
        Best = "best": "The best of regret, apportion and greedy, each improved by exchanges",
        /// [`ExactSearch`].
        Exact = "exact": "The best plan of many searches: for designs of few runs, where every run counts",
    }
}

impl Method {
    /// The method with its default settings and a seed; only [`ExactSearch`] makes random choices.
    pub fn seeded(self, seed: u64) -> Box<dyn Rounding> {
        match self {
            Method::Exact => Box::new(ExactSearch::default().seed(seed)),
            other => other.rounding(),
        }
    }

    /// The method with its default settings.
    pub fn rounding(self) -> Box<dyn Rounding> {
        match self {
            Method::Ceiling => Box::new(Ceiling),
            Method::Apportion => Box::new(Apportionment::default()),
            Method::Caratheodory => Box::new(Caratheodory),
            Method::Regret => Box::new(RegretMinimisation::default()),
            Method::Ptr => Box::new(ProjectThenRound::default()),
            Method::Greedy => Box::new(GreedyVariance),
            Method::Exchange => Box::new(Exchange::default()),
            Method::Best => Box::new(BestRounding::default()),
            Method::Exact => Box::new(ExactSearch::default()),
        }
    }
}
