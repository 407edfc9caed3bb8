//! The largest of many scores, where rounding errors do not decide.

/// Scores within this fraction of the largest count as equal.
const TIE: f64 = 1e-10;

/// The first position with the largest score, up to ties; positions of score minus infinity are out.
///
/// ```
/// use elfving::numerics::first_largest;
/// assert_eq!(first_largest(&[1.0, 3.0, 3.0 + 1e-12]), Some(1));
/// ```
pub fn first_largest(scores: &[f64]) -> Option<usize> {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return None;
    }
    let room = if largest.is_finite() { TIE * largest.abs() } else { 0.0 };
    scores.iter().position(|&score| score >= largest - room)
}

/// The first position of the largest value, to the last digit.
pub fn position_of_largest(values: &[f64]) -> usize {
    (1..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best })
}

/// All positions, the largest score first, ties to the smallest position.
pub fn largest_first(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&i, &j| scores[j].total_cmp(&scores[i]).then(i.cmp(&j)));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_tells_apart_is_a_tie_and_goes_to_the_first() {
        assert_eq!(first_largest(&[1.0, 3.0, 3.0 + 1e-12, 2.0]), Some(1));
        assert_eq!(first_largest(&[-1.0, -3.0]), Some(0));
        assert_eq!(first_largest(&[f64::NEG_INFINITY, -5.0]), Some(1));
        assert_eq!(first_largest(&[f64::NEG_INFINITY; 2]), None);
        assert_eq!(first_largest(&[1.0, f64::INFINITY, f64::NAN]), Some(1));
        assert_eq!(first_largest(&[f64::NAN; 2]), None);
        assert_eq!(largest_first(&[1.0, 3.0, 1.0, 2.0]), [1, 3, 0, 2]);
    }
}
