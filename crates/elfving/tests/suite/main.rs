//! The integration tests in one program: the library is linked once.
#![allow(clippy::unwrap_used)] // helpers of tests, too
#![allow(unreachable_pub)]

mod bandit_calibrated;
mod bandit_conversation;
mod bandit_coverage;
mod bandit_elimination;
mod bandit_ellipsoid;
mod bandit_ellipsoid_coverage;
mod bandit_lab_coverage;
mod bandit_margins;
mod bandit_norm_not_given;
mod bandit_rbf100;
mod bandit_theorem;
#[path = "../support/campaigns.rs"]
mod campaigns;
mod certificates;
mod design_properties;
mod design_reference;
mod estimate_coverage;
mod estimate_evidence;
mod estimate_forms;
mod estimate_minimax;
#[path = "../support/exact.rs"] // of big integers, which only this suite needs
mod exact;
mod examples;
mod linear_programmes;
mod numerics;
mod pool_candidates;
mod pool_cholesky;
mod pool_feature_maps;
mod pool_kernels;
mod pool_targets;
#[path = "../support/rbf100.rs"]
mod rbf100;
mod robust_mean_batch;
mod robust_mean_conformance;
mod robust_mean_deviation;
mod robust_mean_reference;
mod rounding_conformance;
mod rounding_properties;
mod rounding_reference;
mod rounding_streams;
#[path = "../support/mod.rs"]
mod support;
mod surrogate;

use support::binomial; // where campaigns look for it, here and in the core's own tests
