//! What every shell takes where the user says nothing.

/// What a kernel is factorised for when the ridge is left to the algorithm: small enough for every ridge that algorithms choose.
pub const USUAL_RIDGE: f64 = 1e-4;

/// The gap it is factorised for then.
pub const USUAL_TOLERANCE: f64 = 1e-3;

/// The ridge for a kernel of which nothing else is known, relative to k(x, x) = 1.
pub const KERNEL_RIDGE: f64 = 0.01;
