//! LAMBDA to counts: from the weights of a design to measurements.
//!
//! A design says which share of the measurements each candidate deserves; a laboratory makes whole
//! measurements. Two kinds of answer are two types: [`Allocation`], counts that were chosen, for least squares, and
//! [`Draws`], points drawn independently from the design, for the estimators whose proof needs that. A [`Request`] holds
//! the design, the budget and the [`Constraints`]; every [`Rounding`] answers it with counts and a
//! [`RoundingReport`].
//!
//! | method | type | total | promise |
//! |---|---|---|---|
//! | ceiling | [`Ceiling`] | T to T + s | never less information than the design |
//! | apportion | [`Apportionment`] | T | the least loss in the worst case, T ≥ s |
//! | caratheodory | [`Caratheodory`] | T | at most r(r+1)/2 + 1 candidates before apportioning |
//! | regret | [`RegretMinimisation`] | T | `λ_min ≥ (1 - √(2p/T))²` for T > 2p |
//! | ptr | [`ProjectThenRound`] | T | checked afterwards; full space when the ratio exceeds 2 and that helps |
//! | greedy | [`GreedyVariance`] | T | none; needs no design |
//! | exchange | [`Exchange`] | T | never worse than apportion |
//! | best | [`BestRounding`] | T | the best of apportion, regret and greedy, each polished |
//! | exact | [`ExactSearch`] | T | never worse than best; what many searches find |
//! | sample | [`Draws`] | T | independent |
//!
//! [`Exchange`] improves any allocation. [`shuffled_slots`] puts the measurements in random order.

mod allocation;
mod apportionment;
mod best;
mod caratheodory;
mod ceiling;
mod constraints;
mod draws;
mod error;
mod exact;
mod exchange;
mod frame;
mod greedy;
mod loss;
mod method;
mod projected;
mod quota;
mod regret;
mod report;
mod request;

pub use allocation::{Allocation, shuffled_slots};
pub use apportionment::Apportionment;
pub use best::BestRounding;
pub use caratheodory::Caratheodory;
pub use ceiling::Ceiling;
pub use constraints::Constraints;
pub use draws::Draws;
pub use error::RoundingError;
pub use exact::ExactSearch;
pub use exchange::Exchange;
pub use greedy::GreedyVariance;
pub use method::{Method, Rounding};
pub use projected::ProjectThenRound;
pub use regret::RegretMinimisation;
pub use report::{PriorEntry, Rounded, RoundingPath, RoundingReport};
pub use request::Request;

/// Scores within this fraction of the best count as equal: what rounding errors decide is decided by the id.
const TIE: f64 = 1e-10;

/// The first index whose score is the largest, up to ties; `None` when every score is minus infinity.
fn first_best(count: usize, score: impl Fn(usize) -> f64) -> Option<usize> {
    let best = (0..count).map(&score).fold(f64::NEG_INFINITY, f64::max);
    if best == f64::NEG_INFINITY {
        return None;
    }
    (0..count).find(|&i| score(i) >= best - TIE * best.abs())
}
