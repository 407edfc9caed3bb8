//! Points in time, given by the caller: the library reads no clock.

use std::fmt;

use serde::{Deserialize, Serialize};

const MILLIS_A_DAY: u64 = 86_400_000;

/// Milliseconds since 1970-01-01T00:00:00Z.
///
/// ```
/// use elfving_campaign::At;
/// assert_eq!(At(1_795_000_000_123).to_string(), "2026-11-18T11:06:40Z");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct At(pub u64);

impl fmt::Display for At {
    /// ISO 8601 in UTC, to the second.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.0 / MILLIS_A_DAY);
        let second = self.0 % MILLIS_A_DAY / 1000;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

/// Year, month and day of a day since 1970. Years begin in March here, so that the leap day is the last one, and repeat
/// every 400 years.
fn civil(day: u64) -> (u64, u64, u64) {
    const DAYS_IN_400_YEARS: u64 = 146_097;
    const FROM_MARCH_0_TO_1970: u64 = 719_468;
    let day = day + FROM_MARCH_0_TO_1970;
    let (era, day) = (day / DAYS_IN_400_YEARS, day % DAYS_IN_400_YEARS);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day_of_month = day - (153 * month + 2) / 5 + 1;
    let (month, carried) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + carried, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_the_dates_of_the_calendar() {
        for (day, date) in [
            (0, (1970, 1, 1)),
            (59, (1970, 3, 1)),
            (789, (1972, 2, 29)),
            (10_957, (2000, 1, 1)),
            (11_016, (2000, 2, 29)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(civil(day), date, "{day}");
        }
    }
}
