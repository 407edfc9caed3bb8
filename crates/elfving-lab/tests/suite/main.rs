//! The integration tests in one program: the library is linked once.
#![allow(clippy::unwrap_used)] // helpers of tests, too
#![allow(unreachable_pub)]

mod bandit_baselines;
mod bandit_conformance;
mod claims;
mod complexity_properties;
mod complexity_reference;
mod design_hard_inputs;
mod design_methods;
mod feature_maps;
mod plan;
#[path = "../../../elfving/tests/support/rbf100.rs"]
mod rbf100;
mod simulate;
#[path = "../../../elfving/tests/support/mod.rs"]
mod support;
