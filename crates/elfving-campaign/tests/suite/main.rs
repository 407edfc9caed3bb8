//! The integration tests in one program: the library is linked once.
#![allow(clippy::unwrap_used)] // helpers of tests, too
#![allow(unreachable_pub)]

mod damage;
mod draft;
mod every_algorithm;
mod extend;
#[cfg(unix)]
mod faults;
mod golden;
mod layout;
mod model;
mod next_batch;
mod promises;
mod reader;
mod report;
mod shells;
mod support;
