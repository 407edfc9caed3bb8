//! The integration tests in one program: the library is linked once.
#![allow(clippy::unwrap_used)] // helpers of tests, too
#![allow(unreachable_pub)]

mod campaign;
mod common;
mod conditions;
mod costs;
mod estimate;
mod exact;
mod examples;
mod options;
mod outputs;
mod plates;
mod promises;
mod refusals;
mod replace;
mod robust;
mod round;
mod schemas;
mod serve;
mod simulate;
#[cfg(unix)]
mod watch;
mod workbooks;
