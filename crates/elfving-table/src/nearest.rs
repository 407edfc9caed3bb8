//! The name that was probably meant.

/// The known name that needs the fewest changed, added or dropped letters, case aside; `None` when all are far away.
///
/// ```
/// use elfving_table::nearest;
/// assert_eq!(nearest("xphos", ["PPh3", "XPhos", "dppf"]), Some("XPhos"));
/// assert_eq!(nearest("water", ["PPh3", "XPhos", "dppf"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let most = name.len().div_ceil(2);
    let changes = known.into_iter().map(|other| (changes(&name, other), other));
    changes.filter(|&(count, _)| count <= most).min_by_key(|&(count, _)| count).map(|(_, other)| other)
}

/// Levenshtein's distance, one row at a time.
fn changes(name: &[char], other: &str) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in name.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}
