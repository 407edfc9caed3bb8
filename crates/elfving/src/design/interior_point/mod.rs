//! The default solver: a primal-dual interior point on a working set of points and targets.

mod diameter;
mod newton;
mod working_set;

pub(super) use working_set::{Solution, solve};
