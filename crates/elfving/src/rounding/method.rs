//! The roundings by name.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::report::Rounded;
use super::{
    Apportionment, BestRounding, Caratheodory, Ceiling, Exchange, GreedyVariance, ProjectThenRound,
    RegretMinimisation, Request, RoundingError,
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

/// The roundings of this module with their default settings.
///
/// ```
/// use elfving::rounding::Method;
/// assert_eq!(Method::Regret.rounding().name(), "regret");
/// assert_eq!(Method::ALL.map(|method| method.to_string()).join(" "), "ceiling apportion caratheodory regret ptr greedy exchange best");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// [`Ceiling`].
    Ceiling,
    /// [`Apportionment`].
    Apportion,
    /// [`Caratheodory`].
    Caratheodory,
    /// [`RegretMinimisation`].
    Regret,
    /// [`ProjectThenRound`].
    Ptr,
    /// [`GreedyVariance`].
    Greedy,
    /// [`Apportionment`], improved by [`Exchange`].
    Exchange,
    /// [`BestRounding`].
    Best,
}

impl Method {
    /// All of them, in the order of the documentation.
    pub const ALL: [Method; 8] = [
        Method::Ceiling,
        Method::Apportion,
        Method::Caratheodory,
        Method::Regret,
        Method::Ptr,
        Method::Greedy,
        Method::Exchange,
        Method::Best,
    ];

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
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rounding().name())
    }
}
