//! Environments, a seeded runner and its metrics: what an algorithm would have done, many times over.
//!
//! An [`Environment`] knows the true means and answers measurements with noise; a [`Simulation`] lets a policy ask and
//! tells it, `repeats` times in parallel; [`Runs`] holds what came out, with means and standard errors.
//!
//! ```
//! use elfving::bandit::{Goal, Question};
//! use elfving_lab::baselines::Baseline;
//! use elfving_lab::simulate::{Environment, Law, Simulation};
//! use elfving::{estimate::Assumptions, numerics::Matrix, pool::Pool};
//!
//! let pool = Pool::from_features(Matrix::identity(3))?;
//! let environment = Environment::new(vec![0.2, 0.5, 0.9])?.noise(Law::Normal, 0.1)?;
//! let question = Question::new(pool, Assumptions::new(0.1)?.bound(1.0)?, Goal::Regret { horizon: Some(60) })?;
//! let policy = |seed| Baseline::Random.start(question.clone().seed(seed));
//! let runs = Simulation::new(60).repeats(20).run(&environment, policy)?;
//! // Random measurements cost the mean gap, (0.7 + 0.4 + 0)/3, each.
//! let regret = runs.regret().last().copied().unwrap();
//! assert!((regret.mean - 60.0 * 1.1 / 3.0).abs() < 5.0 * regret.standard_error);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod comparison;
mod environment;
mod error;
mod law;
mod metrics;
mod runner;
mod truth;

pub use comparison::{Comparison, Tried};
pub use environment::Environment;
pub use error::SimulationError;
pub use law::{Law, LawName};
pub use metrics::{Run, Runs, Summary};
pub use runner::{Simulation, checkpoints};
pub use truth::RkhsFunction;
