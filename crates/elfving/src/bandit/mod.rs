//! NUMBERS → DECISIONS: which points to measure next, which choices are out, when to stop.
//!
//! A [`Question`] says what is asked (pool, goal, δ) and what is assumed. A [`Policy`] answers it: it plans
//! measurements and decides once their outcomes are in. A [`Bandit`] holds one policy and the conversation with the world:
//! [`ask`](Bandit::ask) hands out slots, [`tell`](Bandit::tell) closes them in any order, [`report`](Bandit::report) says what
//! is known, under which assumptions.

mod algorithm;
mod ask_tell;
mod auto;
mod batch_rules;
mod belief;
mod calibrated;
mod conversation;
pub mod elimination;
mod ellipsoid;
mod error;
mod follower;
mod goal;
mod plan;
mod policy;
mod question;
mod reading;
mod regression;
mod report;
mod runs;
mod slot;
mod why;

pub use algorithm::Algorithm;
pub use ask_tell::Bandit;
pub use auto::{Family, Recommendation, recommend};
pub use batch_rules::{AtMost, Limits, that_fit};
pub use belief::Belief;
pub use calibrated::{
    Advice, Calibrated, CalibratedSettings, ConditionalStatement, Expected, Ground, Optimism, Outlook,
    RepeatCap, Stopping, Strategy, USUAL_SHARE, conditional_statement,
};
pub use conversation::{
    Bar, Conversation, Extension, Handing, Round, SlotRecord, SlotState, Step, Supply, Verdict,
};
pub use ellipsoid::{EllipsoidBest, EllipsoidMap, EllipsoidRegret};
pub use error::BanditError;
pub use follower::Follower;
pub use goal::{Goal, GoalName};
pub use plan::{Measurements, Plan};
pub use policy::{Decision, Elimination, Next, Policy, SetAside, Wanted, averages};
pub use question::{Question, TheoremName};
pub use reading::Reading;
pub use regression::{Precision, Regression};
pub use report::{
    BetRecord, ChoiceInterval, DataCheck, Guarantee, Margins, Reason, Report, Standing, Status,
};
pub use slot::{Outcome, Slot, SlotId, Told};
pub use why::Why;
