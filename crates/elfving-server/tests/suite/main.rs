//! The integration tests in one program: the library is linked once.
#![allow(clippy::unwrap_used)] // helpers of tests, too
#![allow(unreachable_pub)]

mod api;
mod doors;
mod limits;
mod pages;
mod stream;
mod support;
