//! What is worth knowing about features that were accepted: equal rows, constant columns, unequal scales.

use std::hash::{DefaultHasher, Hasher};

use elfving::numerics::Matrix;

use crate::column::TextColumn;
use crate::problem::Place;
use crate::warning::Notice;

/// Column scales that differ by more than this are worth a warning.
const SCALE_RATIO: f64 = 1e6;

/// Everything there is to notice. Cost: n·d + n log n.
pub(crate) fn about(features: &Matrix, names: &[String], ids: &TextColumn) -> Vec<Notice> {
    let mut notices = Vec::new();
    let groups = identical_rows(features);
    if !groups.is_empty() {
        let named = |group: Vec<usize>| group.into_iter().map(|row| ids[row].to_owned()).collect();
        notices.push(Notice::IdenticalFeatures { groups: groups.into_iter().map(named).collect() });
    }
    let (constant, scales) = columns(features);
    let columns: Vec<String> = constant.iter().map(|&j| names[j].clone()).collect();
    if !columns.is_empty() {
        notices.push(Notice::ConstantColumns { columns });
    }
    // A column of zeros is constant; the others have a scale.
    let varying = (0..names.len()).filter(|j| !constant.contains(j));
    let largest = varying.clone().max_by(|&a, &b| scales[a].total_cmp(&scales[b]));
    let smallest = varying.min_by(|&a, &b| scales[a].total_cmp(&scales[b]));
    if let (Some(largest), Some(smallest)) = (largest, smallest)
        && scales[largest] / SCALE_RATIO > scales[smallest]
    {
        notices.push(Notice::ScalesDiffer {
            largest: (names[largest].clone(), scales[largest]),
            smallest: (names[smallest].clone(), scales[smallest]),
        });
    }
    notices
}

/// The constant columns (none when there is only one row), and the largest absolute value of every column.
fn columns(features: &Matrix) -> (Vec<usize>, Vec<f64>) {
    let first = features.row(0);
    let mut varies = vec![features.rows() == 1; features.columns()];
    let mut scales = vec![0.0_f64; features.columns()];
    for i in 0..features.rows() {
        for (j, &x) in features.row(i).iter().enumerate() {
            varies[j] |= x != first[j];
            scales[j] = scales[j].max(x.abs());
        }
    }
    ((0..features.columns()).filter(|&j| !varies[j]).collect(), scales)
}

/// Groups of two or more equal rows, in the order of their first row.
fn identical_rows(features: &Matrix) -> Vec<Vec<usize>> {
    let mut hashes: Vec<(u64, usize)> = (0..features.rows()).map(|i| (hash(features.row(i)), i)).collect();
    hashes.sort_unstable();
    let mut groups = Vec::new();
    for run in hashes.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1) {
        // Equal hashes are almost always equal rows; rows that only share a hash are told apart here.
        let mut left: Vec<usize> = run.iter().map(|&(_, i)| i).collect();
        while let Some(&first) = left.first() {
            let (same, others): (Vec<_>, Vec<_>) =
                left.into_iter().partition(|&i| features.row(i) == features.row(first));
            if same.len() > 1 {
                groups.push(same);
            }
            left = others;
        }
    }
    groups.sort_unstable();
    groups
}

fn hash(row: &[f64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for x in row {
        // + 0.0, because 0 and -0 are equal.
        hasher.write_u64((x + 0.0).to_bits());
    }
    hasher.finish()
}

/// A place in words, inside a sentence.
pub(crate) fn place(place: Place) -> String {
    match place {
        Place::File => "the file".to_owned(),
        Place::Line(line) => format!("line {line}"),
        Place::Row(row) => format!("row {row}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_are_grouped_in_the_order_of_the_file() {
        let rows = [[1.0, 0.0], [2.0, 0.0], [1.0, -0.0], [3.0, 0.0], [2.0, 0.0], [1.0, 0.0]];
        assert_eq!(identical_rows(&Matrix::from_rows(&rows)), [vec![0, 2, 5], vec![1, 4]]);
        assert!(identical_rows(&Matrix::from_rows(&rows[..2])).is_empty());
    }

    #[test]
    fn scales_are_compared_without_overflow() {
        let features = Matrix::from_rows(&[[1e300, 1e-300], [-1e300, 2e-300]]);
        let names = ["a".to_owned(), "b".to_owned()];
        let notices = about(&features, &names, &TextColumn::row_numbers(2));
        assert_eq!(
            notices,
            [Notice::ScalesDiffer { largest: ("a".into(), 1e300), smallest: ("b".into(), 2e-300) }]
        );
    }

    #[test]
    fn one_row_has_no_constant_columns() {
        assert_eq!(
            about(&Matrix::from_rows(&[[1.0, 2.0]]), &["a".into(), "b".into()], &TextColumn::row_numbers(1)),
            []
        );
    }
}
