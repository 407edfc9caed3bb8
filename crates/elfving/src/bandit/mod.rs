//! NUMBERS → DECISIONS: which points to measure next, which choices are out, when to stop.
//!
//! A [`Question`] says what is asked (pool, goal, δ) and what is vouched for. A [`Policy`] answers it: it plans
//! measurements and decides once their outcomes are in. A [`Bandit`] holds one policy and the conversation with the world:
//! [`ask`](Bandit::ask) hands out slots, [`tell`](Bandit::tell) closes them in any order, [`report`](Bandit::report) says what
//! is known, under which assumptions.

mod conversation;
pub mod elimination;
mod error;
mod goal;
mod plan;
mod policy;
mod question;
mod report;
mod slot;

pub use conversation::Bandit;
pub use error::BanditError;
pub use goal::Goal;
pub use plan::{Measurements, Plan};
pub use policy::{Decision, Elimination, Next, Policy};
pub use question::Question;
pub use report::{ChoiceInterval, Guarantee, Margins, Reason, Report, Status};
pub use slot::{Outcome, Slot, SlotId, Told};
