//! What most programs need: `use elfving::prelude::*;`.

pub use crate::bandit::{Algorithm, Bandit, Goal, Outcome, Question, Report, SlotId};
pub use crate::design::{self, Certificate, Control, Criterion, Design, InteriorPoint, Problem, Solver};
pub use crate::estimate::{Assumptions, Intervals, Tails};
pub use crate::numerics::Matrix;
pub use crate::pool::{ChoiceId, Factorisation, PointId, Points, Pool, Subset, Targets};
pub use crate::rounding::{Allocation, BestRounding, Constraints, Draws, Request, Rounding};
pub use crate::units::{Confidence, Ridge, Tolerance};
