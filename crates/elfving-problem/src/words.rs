//! Numbers for people, the same in every shell.

use elfving::units::grouped;

/// Nine digits: what a certificate to 1e-9 can hold.
pub fn number(x: f64) -> String {
    digits(x, 9)
}

/// `1 slot`, `2 slots`, `12,000 slots`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count as u64), if count == 1 { "" } else { "s" })
}

/// Four digits, for a sentence.
pub fn short(x: f64) -> String {
    digits(x, 4)
}

fn digits(x: f64, count: i32) -> String {
    let size = x.abs();
    if x == 0.0 || (1e-4..1e9).contains(&size) {
        let whole = if size >= 1.0 { size.log10().floor() as i32 + 1 } else { 1 };
        format!("{x:.*}", (count - whole).max(0) as usize)
    } else {
        format!("{x:.*e}", (count - 1) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_they_should() {
        assert_eq!(number(27.491_106_123_4), "27.4911061");
        assert_eq!(number(-3.5), "-3.50000000");
        assert_eq!(number(1.25e-7), "1.25000000e-7");
        assert_eq!(number(1e300), "1.00000000e300");
        assert_eq!(short(0.012_345), "0.012");
        assert_eq!(short(12345.6), "12346");
        let slots = (counted(1, "slot"), counted(12_000, "slot"));
        assert_eq!(slots, ("1 slot".to_owned(), "12,000 slots".to_owned()));
    }
}
