//! How long a solver may go on: tolerance, iteration limit, and a callback that sees progress and may stop it.

use std::ops::ControlFlow;

use crate::units::Tolerance;

/// Where a solver stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The best relative gap so far (on the working set between passes).
    pub gap: f64,
    /// Iterations so far.
    pub iterations: usize,
    /// Passes over the whole pool so far.
    pub passes: usize,
}

/// Sees progress; `Break` stops the solver.
type Watch<'a> = &'a mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// When to stop. The library reads no clock: a time limit or a cancel button is a callback.
///
/// ```
/// use elfving::design::Control;
/// use elfving::units::Tolerance;
/// use std::ops::ControlFlow;
///
/// let mut seen = 0;
/// let mut watch = |_progress: &elfving::design::Progress| {
///     seen += 1;
///     if seen > 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
/// };
/// let control = Control::new(Tolerance::new(1e-6)?).iteration_limit(500).watch(&mut watch);
/// # let _ = control;
/// # Ok::<(), elfving::units::InvalidValue>(())
/// ```
pub struct Control<'a> {
    pub(super) tolerance: f64,
    pub(super) iteration_limit: usize,
    watch: Option<Watch<'a>>,
    pub(super) stopped: bool,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("tolerance", &self.tolerance)
            .field("iteration_limit", &self.iteration_limit)
            .finish_non_exhaustive()
    }
}

impl<'a> Control<'a> {
    /// Stops at this certified relative gap.
    pub fn new(tolerance: Tolerance) -> Self {
        Self { tolerance: tolerance.get(), iteration_limit: usize::MAX, watch: None, stopped: false }
    }

    /// Also stops after this many iterations.
    #[must_use]
    pub fn iteration_limit(mut self, limit: usize) -> Self {
        self.iteration_limit = limit;
        self
    }

    /// Calls `watch` at every iteration; `ControlFlow::Break` stops the solver, which still hands back
    /// the best design it has.
    #[must_use]
    pub fn watch(mut self, watch: &'a mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// The relative gap to reach.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// How many iterations a solver may make.
    pub fn most_iterations(&self) -> usize {
        self.iteration_limit
    }

    /// Runs `work` with at most this many iterations, or fewer where the limit is lower already.
    pub fn at_most<T>(&mut self, iterations: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let given = self.iteration_limit;
        self.iteration_limit = given.min(iterations);
        let result = work(self);
        self.iteration_limit = given;
        result
    }

    /// Tells the watcher, which a solver does at every iteration; `Break` once the limit is reached or the watcher said so.
    pub fn report(&mut self, progress: &Progress) -> ControlFlow<()> {
        if progress.iterations >= self.iteration_limit {
            self.stopped = true;
        }
        if let Some(watch) = &mut self.watch
            && watch(progress).is_break()
        {
            self.stopped = true;
        }
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
