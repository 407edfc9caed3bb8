//! Temporary.
#![allow(missing_docs)]
use crate::linalg::Matrix;
use std::borrow::Cow;
pub enum TargetRows<'a> { Rows(Cow<'a, Matrix>), Pairs(Cow<'a, Matrix>) }
