//! The integration tests in one program: the library is linked once.
#![allow(clippy::unwrap_used)] // helpers of tests, too
#![allow(unreachable_pub)]

mod arrays;
mod conditions;
mod contract;
mod documentation;
mod parquet;
mod pools;
mod properties;
mod workbooks;
