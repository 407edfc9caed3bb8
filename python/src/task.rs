//! Work that takes its time: on a thread of its own, while Python stays free and Ctrl-C is answered.
//!
//! The calling thread lets go of the interpreter and looks up every few milliseconds: for a signal, and to hand progress to
//! the user's callback. Work that can stop early is told to; other work is left to end by itself, its answer unread. A panic
//! ends at the edge of the thread and becomes an `InternalError`.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use elfving::design::Progress;
use pyo3::prelude::*;

use crate::failure::{Answer, Failure};

/// How often the calling thread looks up.
const TICK: Duration = Duration::from_millis(30);
/// Large matrices are on the heap; this is for deep recursion in parallel work.
const STACK_BYTES: usize = 16 << 20;

/// What the two threads tell each other.
#[derive(Debug, Default)]
pub(crate) struct Monitor {
    stop: AtomicBool,
    progress: Mutex<Option<Progress>>,
}

impl Monitor {
    /// Whether the caller wants no answer any more.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Where the work stands.
    pub(crate) fn report(&self, progress: Progress) {
        if let Ok(mut latest) = self.progress.lock() {
            *latest = Some(progress);
        }
    }

    /// Hands the latest progress to the callback; a true answer asks for an early end.
    fn tell(&self, py: Python<'_>, callback: Option<&Py<PyAny>>) -> PyResult<()> {
        let latest = self.progress.lock().ok().and_then(|mut latest| latest.take());
        if let (Some(Progress { gap, iterations, passes }), Some(callback)) = (latest, callback)
            && callback.bind(py).call1((gap, iterations, passes))?.is_truthy()?
        {
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Runs `work` and waits for its answer.
pub(crate) fn run<T, F>(py: Python<'_>, work: F) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce() -> Answer<T> + Send + 'static,
{
    run_watched(py, None, move |_| work())
}

/// The same for work that reports its progress and can stop early.
pub(crate) fn run_watched<T, F>(py: Python<'_>, callback: Option<Py<PyAny>>, work: F) -> PyResult<T>
where
    T: Send + 'static,
    F: FnOnce(&Monitor) -> Answer<T> + Send + 'static,
{
    let monitor = Arc::new(Monitor::default());
    let (sender, mut receiver) = channel();
    let theirs = Arc::clone(&monitor);
    let thread = std::thread::Builder::new().name("elfving".to_owned()).stack_size(STACK_BYTES);
    thread.spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&theirs)));
        // Nobody listens after an interrupt.
        sender.send(outcome).ok();
    })?;
    loop {
        let waited = py.detach(move || (receiver.recv_timeout(TICK), receiver));
        receiver = waited.1;
        match waited.0 {
            Ok(Ok(answer)) => {
                monitor.tell(py, callback.as_ref())?;
                return Ok(answer?);
            }
            Ok(Err(panic)) => return Err(Failure::internal(&words(&*panic)).into()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::internal("the work ended without an answer").into());
            }
            Err(RecvTimeoutError::Timeout) => {
                let interrupted = py.check_signals().and_then(|()| monitor.tell(py, callback.as_ref()));
                if let Err(error) = interrupted {
                    monitor.stop.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
    }
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}
