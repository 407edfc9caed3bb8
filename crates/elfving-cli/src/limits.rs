//! The largest numbers that make sense: what is above is a slip of the finger, and is refused before memory is.

use elfving::units::grouped;

use crate::error::CliError;

/// Measurements in all, or at a time.
pub(crate) const MOST_MEASUREMENTS: u64 = elfving_campaign::MOST_MEASUREMENTS;

/// How often a simulation is run.
pub(crate) const MOST_REPETITIONS: u64 = 1_000_000;

/// Threads; more than a machine has only wait for each other.
pub(crate) const MOST_THREADS: u64 = 1_024;

/// Refuses a number that is 0 or above the most.
pub(crate) fn check(option: &str, value: u64, most: u64) -> Result<(), CliError> {
    match value {
        0 => Err(CliError::usage("E201", format!("{option} must be at least 1"), "give a number >= 1")),
        value if value > most => {
            let (value, most) = (grouped(value), grouped(most));
            let message = format!("{option} is at most {most}, got {value}");
            Err(CliError::usage("E201", message, "give a smaller number"))
        }
        _ => Ok(()),
    }
}
