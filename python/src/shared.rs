//! The one place with `unsafe`: entries of a NumPy array, read where they lie.

#![expect(unsafe_code, reason = "a slice into memory that Python keeps, without holding the interpreter")]

use std::ptr::NonNull;
use std::sync::Arc;

use elfving::numerics::SharedEntries;
use numpy::{PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// The data of an array, and the reference that keeps it alive.
struct Kept {
    start: NonNull<f64>,
    len: usize,
    _array: Py<PyArray2<f64>>,
}

// SAFETY: the pointer is to memory that the reference keeps alive wherever it goes, and it is only read.
unsafe impl Send for Kept {}
// SAFETY: as above; there is nothing that could be changed through a shared reference.
unsafe impl Sync for Kept {}

impl AsRef<[f64]> for Kept {
    fn as_ref(&self) -> &[f64] {
        // SAFETY: `entries` checked that the array is C-contiguous, aligned and has `len` entries. NumPy neither moves nor frees
        // the data of an array that is referred to. That nobody writes to it meanwhile is what the documentation asks for.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

/// The entries of an array row by row, not copied; none if they do not lie in this order.
pub(crate) fn entries(array: &PyReadonlyArray2<'_, f64>) -> Option<SharedEntries> {
    let slice = array.as_slice().ok().filter(|_| array.is_c_contiguous())?;
    let start = NonNull::new(slice.as_ptr().cast_mut()).filter(|start| start.is_aligned())?;
    let kept = Kept { start, len: slice.len(), _array: (**array).clone().unbind() };
    Some(Arc::new(kept))
}
