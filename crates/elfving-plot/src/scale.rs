//! From numbers to positions along an axis, and the ticks between.

/// An axis from `low` to `high`, linear or logarithmic, laid over an interval of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    start: f64,
    end: f64,
}

/// The numbers to show on an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Span {
    low: f64,
    high: f64,
    log: bool,
}

impl Span {
    /// From the smallest to the largest finite number; of nothing, from 0 to 1.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>, log: bool) -> Self {
        let usable = |x: &f64| x.is_finite() && (!log || *x > 0.0);
        let (low, high) = values
            .into_iter()
            .filter(usable)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        if low <= high {
            Self { low, high, log }
        } else {
            Self { low: if log { 0.1 } else { 0.0 }, high: 1.0, log }
        }
    }

    /// Also shows this number.
    pub(crate) fn with(self, value: f64) -> Self {
        Self { low: self.low.min(value), high: self.high.max(value), ..self }
    }

    /// Room at both ends, so that marks do not sit on the frame; an axis that starts at zero stays there.
    pub(crate) fn padded(self) -> Self {
        const ROOM: f64 = 0.05;
        if self.log {
            let factor = (self.high / self.low).powf(ROOM).max(1.1);
            return Self { low: self.low / factor, high: self.high * factor, ..self };
        }
        let mut room = ROOM * (self.high - self.low);
        if room == 0.0 {
            room = if self.low == 0.0 { 0.5 } else { 0.1 * self.low.abs() };
        }
        let low = if self.low == 0.0 { 0.0 } else { self.low - room };
        Self { low, high: self.high + room, ..self }
    }

    /// Room at both ends whatever the ends are.
    pub(crate) fn padded_both(self) -> Self {
        let padded = self.padded();
        if padded.log || padded.low < self.low {
            padded
        } else {
            Self { low: self.low - (padded.high - self.high), ..padded }
        }
    }

    /// Lays the numbers over pixels.
    pub(crate) fn over(self, start: f64, end: f64) -> Scale {
        Scale { low: self.low, high: self.high, log: self.log, start, end }
    }
}

impl Scale {
    /// Where a number is, in pixels.
    pub(crate) fn position(&self, value: f64) -> f64 {
        // Halves, because the difference of two numbers near the largest ones is infinite.
        let share = if self.log {
            (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
        } else {
            (0.5 * value - 0.5 * self.low) / (0.5 * self.high - 0.5 * self.low)
        };
        self.start + share * (self.end - self.start)
    }

    /// Round numbers on the axis, about `count` of them, with their labels.
    pub(crate) fn ticks(&self, count: usize) -> Vec<(f64, String)> {
        if self.log { self.log_ticks(count) } else { self.linear_ticks(count) }
    }

    fn linear_ticks(&self, count: usize) -> Vec<(f64, String)> {
        let rough = (0.5 * self.high - 0.5 * self.low) / (0.5 * count as f64);
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|&s| s >= rough * 0.999);
        let step = step.unwrap_or(10.0 * power);
        let first = (self.low / step - 1e-6).ceil();
        let last = (self.high / step + 1e-6).floor();
        let steps = (last - first).max(0.0) as usize;
        let largest = self.low.abs().max(self.high.abs());
        (0..=steps).map(|k| (first + k as f64) * step).map(|x| (x, linear_label(x, step, largest))).collect()
    }

    fn log_ticks(&self, count: usize) -> Vec<(f64, String)> {
        let (low, high) = (self.low.log10(), self.high.log10());
        let decades = high - low;
        let every = (decades / count as f64).ceil().max(1.0) as i32;
        // Less than two decades: 2 and 5 are shown as well.
        let digits: &[f64] = if decades < 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let mut ticks = Vec::new();
        for exponent in low.floor() as i32..=high.ceil() as i32 {
            if exponent.rem_euclid(every) != 0 {
                continue;
            }
            for digit in digits {
                let value = digit * 10f64.powi(exponent);
                if value >= self.low * 0.999_999 && value <= self.high * 1.000_001 {
                    ticks.push((value, log_label(*digit, exponent)));
                }
            }
        }
        if ticks.len() < 2 { Scale { log: false, ..*self }.linear_ticks(count) } else { ticks }
    }
}

/// All labels of an axis have the same number of decimals.
fn linear_label(x: f64, step: f64, largest: f64) -> String {
    let x = if x.abs() < step * 1e-6 { 0.0 } else { x };
    let decimals = (-step.log10().floor()).max(0.0);
    if largest < 1e6 && decimals <= 4.0 {
        format!("{x:.*}", decimals as usize)
    } else if x == 0.0 {
        "0".to_owned()
    } else {
        let digits = (largest / step).log10().ceil().clamp(0.0, 15.0) as usize;
        let text = format!("{x:.digits$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = if mantissa.contains('.') {
            mantissa.trim_end_matches('0').trim_end_matches('.')
        } else {
            mantissa
        };
        format!("{mantissa}e{exponent}")
    }
}

fn log_label(digit: f64, exponent: i32) -> String {
    match exponent {
        -3..=-1 => format!("{:.*}", -exponent as usize, digit * 10f64.powi(exponent)),
        0..=3 => format!("{:.0}", digit * 10f64.powi(exponent)),
        _ if digit == 1.0 => format!("10{}", raised(exponent)),
        _ => format!("{digit}·10{}", raised(exponent)),
    }
}

fn raised(exponent: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    };
    exponent.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], log: bool, count: usize) -> Vec<String> {
        let scale = Span::of(values.iter().copied(), log).over(0.0, 100.0);
        scale.ticks(count).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_numbers_with_the_same_decimals() {
        assert_eq!(labels(&[0.0, 1.0], false, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&[90.0, 120.0], false, 4), ["90", "100", "110", "120"]);
        assert_eq!(labels(&[-0.03, 0.03], false, 4), ["-0.02", "0.00", "0.02"]);
        assert_eq!(labels(&[0.0, 3e-9], false, 4), ["0", "1e-9", "2e-9", "3e-9"]);
        assert_eq!(labels(&[0.0, 2.5e6], false, 6), ["0", "5e5", "1e6", "1.5e6", "2e6", "2.5e6"]);
    }

    #[test]
    fn log_ticks_are_powers_of_ten_and_finer_on_a_short_axis() {
        assert_eq!(labels(&[1e3, 1e6], true, 6), ["1000", "10⁴", "10⁵", "10⁶"]);
        assert_eq!(labels(&[0.01, 0.1], true, 6), ["0.01", "0.02", "0.05", "0.1"]);
        assert_eq!(labels(&[1e-12, 1.0], true, 6), ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01", "1"]);
    }

    #[test]
    fn positions_run_from_one_end_to_the_other_at_any_scale() {
        for values in [[0.0, 1.0], [-1e308, 1e308], [1e-300, 2e-300]] {
            let scale = Span::of(values, false).over(10.0, 110.0);
            assert!((scale.position(values[0]) - 10.0).abs() < 1e-9);
            assert!((scale.position(values[1]) - 110.0).abs() < 1e-9);
        }
        let scale = Span::of([1.0, 100.0], true).over(0.0, 100.0);
        assert!((scale.position(10.0) - 50.0).abs() < 1e-9);
    }

    #[test]
    fn one_number_alone_gets_room_on_both_sides() {
        for value in [0.0, 5.0, -2.0] {
            let scale = Span::of([value], false).padded_both().over(0.0, 1.0);
            assert!((scale.position(value) - 0.5).abs() < 1e-9, "{value}");
        }
        assert!(!Span::of([], false).over(0.0, 1.0).ticks(4).is_empty());
        assert!(Span::of([1e300, -1e300], false).padded().over(0.0, 1.0).ticks(5).len() >= 3);
    }
}
