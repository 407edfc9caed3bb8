//! Ctrl-C and its like: the program ends once no file is half-written, or, on request, gets the time to leave in order.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use crate::exit::ExitCode;
use crate::output;

/// Whether a command wants to leave by itself.
static DEFERRED: AtomicBool = AtomicBool::new(false);
/// The first signal that came since then; 0 for none.
static RECEIVED: AtomicI32 = AtomicI32::new(0);

/// From here on the first signal is only noted, for [`received`]; a second one ends the program at once.
pub(crate) fn defer() {
    DEFERRED.store(true, Ordering::SeqCst);
}

/// The signal that was noted.
pub(crate) fn received() -> Option<i32> {
    match RECEIVED.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(signal),
    }
}

/// How a program that was ended by a signal says so.
pub(crate) fn exit_code(signal: i32) -> ExitCode {
    match signal {
        #[cfg(unix)]
        signal_hook::consts::SIGTERM => ExitCode::Terminated,
        _ => ExitCode::Interrupted,
    }
}

/// Notes a signal where a command has asked for that; false where the program is to end now.
fn noted(signal: i32) -> bool {
    DEFERRED.load(Ordering::SeqCst) && RECEIVED.swap(signal, Ordering::SeqCst) == 0
}

/// Ends the program when it is told to, once no file is half-written.
#[cfg(unix)]
pub(crate) fn end_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // Without a handler the default one ends the program as well.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if noted(signal) {
                continue;
            }
            let _whole = (output::hold_writes(), elfving_campaign::hold_creation());
            std::process::exit(match signal {
                SIGINT => ExitCode::Interrupted as i32,
                SIGTERM => ExitCode::Terminated as i32,
                // As a shell counts it.
                other => 128 + other,
            });
        }
    });
}

#[cfg(not(unix))]
pub(crate) fn end_on_signals() {
    const SIGINT: i32 = 2;
    // Without a handler (a second one in the same process) the default one ends the program as well.
    let _ = ctrlc::set_handler(|| {
        if noted(SIGINT) {
            return;
        }
        let _whole = (output::hold_writes(), elfving_campaign::hold_creation());
        std::process::exit(ExitCode::Interrupted as i32);
    });
}
