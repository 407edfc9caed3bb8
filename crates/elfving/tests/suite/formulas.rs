//! Model formulas: terms, codings, features against products written out by hand, and every error in its place.

use elfving::numerics::Matrix;
use elfving::pool::PoolError;
use elfving::pool::formula::{BoundFormula, Formula, Values, Variable};
use proptest::prelude::*;

const ROWS: usize = 12;
const BASE: [u32; ROWS] = [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2];
const LOT: [u32; ROWS] = [0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1];

fn temp(row: usize) -> f64 {
    1.0 + ((row * 7 + 3) % 11) as f64
}

fn time(row: usize) -> f64 {
    0.5 + ((row * 5 + 1) % 13) as f64
}

fn columns() -> [Variable; 4] {
    [
        Variable::numeric("temp"),
        Variable::numeric("time"),
        Variable::category("base", ["K2CO3", "KOAc", "NaH"]),
        Variable::category("lot", ["1", "2"]),
    ]
}

fn bound(text: &str) -> BoundFormula {
    Formula::parse(text).unwrap().bind(&columns()).unwrap_or_else(|error| panic!("{error}"))
}

fn features(text: &str) -> Matrix {
    let values = [
        Values::Numbers((0..ROWS).map(temp).collect()),
        Values::Numbers((0..ROWS).map(time).collect()),
        Values::Levels(&BASE),
        Values::Levels(&LOT),
    ];
    bound(text).features(ROWS, &values).unwrap()
}

fn is(text: &str, of: impl Fn(usize) -> Vec<f64>) {
    let found = features(text);
    let expected = Matrix::from_rows(&(0..ROWS).map(of).collect::<Vec<_>>());
    assert_eq!(found, expected, "{text}");
}

#[test]
fn features_are_the_products_written_out() {
    is("~ temp + time", |i| vec![1.0, temp(i), time(i)]);
    is("temp:time - 1", |i| vec![temp(i) * time(i)]);
    is("~ temp*time", |i| vec![1.0, temp(i), time(i), temp(i) * time(i)]);
    is("~ 0 + I(temp^2) + log(time)", |i| vec![temp(i) * temp(i), time(i).ln()]);
    is("~ I(-temp^2/2 + 3*time - 1)", |i| vec![1.0, -(temp(i) * temp(i)) / 2.0 + 3.0 * time(i) - 1.0]);
    is("~ sqrt(abs(temp - 4)) + exp(-time)", |i| vec![1.0, (temp(i) - 4.0).abs().sqrt(), (-time(i)).exp()]);
    is("~ log2(temp) + log10(time)", |i| vec![1.0, temp(i).log2(), time(i).log10()]);
}

#[test]
fn categories_have_a_level_less_where_the_constant_is_there() {
    let at = |i: usize, level: u32| f64::from(u8::from(BASE[i] == level));
    is("~ base", |i| vec![1.0, at(i, 1), at(i, 2)]);
    is("~ 0 + base", |i| vec![at(i, 0), at(i, 1), at(i, 2)]);
    is("~ C(base, Treatment(\"KOAc\"))", |i| vec![1.0, at(i, 0), at(i, 2)]);
    is("~ C(base, contr.sum)", |i| vec![1.0, at(i, 0) - at(i, 2), at(i, 1) - at(i, 2)]);
    is("~ temp:base", |i| vec![1.0, temp(i) * at(i, 0), temp(i) * at(i, 1), temp(i) * at(i, 2)]);
    is("~ temp*base", |i| vec![1.0, temp(i), at(i, 1), at(i, 2), temp(i) * at(i, 1), temp(i) * at(i, 2)]);
}

#[test]
fn terms_are_added_taken_away_and_ordered() {
    let names = |text: &str| bound(text).term_names();
    assert_eq!(
        names("~ (temp + time + base)^2"),
        ["Intercept", "temp", "time", "base", "temp:time", "temp:base", "time:base"]
    );
    assert_eq!(names("~ temp*time*base - temp:time:base"), names("~ (temp + time + base)**2"));
    assert_eq!(names("~ lot/temp"), ["Intercept", "lot", "lot:temp"]);
    assert_eq!(names("~ (lot + base)/temp"), ["Intercept", "lot", "base", "lot:base:temp"]);
    assert_eq!(names("~ temp + temp - 1"), ["temp"]);
    assert_eq!(names("~ temp - 0"), ["Intercept", "temp"]);
    assert_eq!(names("~ temp:time + temp"), ["Intercept", "temp", "temp:time"]);
    assert_eq!(names("~ base : temp"), ["Intercept", "base:temp"]);
    assert_eq!(names(" 1 + `temp` "), ["Intercept", "temp"]);
}

#[test]
fn names_say_factor_and_level() {
    assert_eq!(
        bound("~ temp*base").names(),
        ["Intercept", "temp", "base[T.KOAc]", "base[T.NaH]", "temp:base[T.KOAc]", "temp:base[T.NaH]"]
    );
    assert_eq!(bound("~ 0 + C( base , Sum ):temp").names()[0], "base[K2CO3]:temp");
    assert_eq!(bound("~ I(temp ^ 2)").names(), ["Intercept", "I(temp^2)"]);
    assert_eq!(Formula::parse("~ I(temp*`a b`) + C(lot)").unwrap().variables(), ["temp", "a b", "lot"]);
}

#[test]
fn what_is_wrong_is_marked_in_the_text() {
    let refused = |text: &str| {
        let problem = Formula::parse(text).and_then(|formula| formula.bind(&columns())).unwrap_err();
        (problem.message.clone(), text[problem.at].to_owned())
    };
    let cases = [
        ("~ tmp + time", "there is no column \"tmp\"; the nearest is \"temp\"", "tmp"),
        ("~ temp + ", "a term is missing at the end", ""),
        ("~ temp + * time", "a term is missing before the *", "*"),
        ("~ (temp + time", "the ( is not closed", "("),
        ("~ temp) + time", "there is no ( for this )", ")"),
        ("y ~ temp", "the outcome is named elsewhere: write the part behind the ~ alone", "~"),
        (
            "~ temp^2",
            "in a formula this is the factor itself; for the power of the number write I(temp^2)",
            "temp^2",
        ),
        ("~ (temp + time)^2.5", "the power of a sum of terms is a whole number from 1 to 16", "2.5"),
        ("~ 2*temp", "a number here is 1 or 0, for the intercept; for arithmetic write I( )", "2"),
        ("~ sin(temp)", "there is no function sin; there are I, C, log, log2, log10, exp, sqrt, abs", "sin"),
        ("~ log(base)", "base is a category, and arithmetic needs numbers", "log(base)"),
        (
            "~ C(base, Treatment(\"KOAC\"))",
            "there is no level \"KOAC\"; the nearest is \"KOAc\"",
            "C(base, Treatment(\"KOAC\"))",
        ),
        ("~ C(base, Helmert)", "there is no coding Helmert; there are Treatment and Sum", "Helmert"),
        ("~ C(temp)", "temp has numbers and no levels here", "C(temp)"),
        (
            "~ temp | lot",
            "'|' means nothing here; random effects are not part of a design's model: add the block as a column",
            "|",
        ),
        ("~ temp + time²", "'²' means nothing here; write I(a^2)", "²"),
        ("~ 'temp'", "a column stands without quotes here; write temp or `temp`", "'temp'"),
        ("~ I(temp +)", "a number or a column is missing before the )", ")"),
        ("~ temp time", "a + or another sign is missing before this", "time"),
        ("~ 0", "the formula takes away every term", "~ 0"),
        ("", "the formula has no terms; write for example ~ temp + base", ""),
    ];
    for (text, message, marked) in cases {
        assert_eq!(refused(text), (message.to_owned(), marked.to_owned()), "{text}");
    }
}

#[test]
fn a_feature_that_is_no_number_is_named() {
    let formula = Formula::parse("~ log(temp)").unwrap().bind(&[Variable::numeric("temp")]).unwrap();
    let refused = formula.features(2, &[Values::Numbers(vec![1.0, -1.0])]).unwrap_err();
    assert!(
        matches!(&refused, PoolError::FeatureNotFinite { feature, row: 1, value } if feature == "log(temp)" && value.is_nan())
    );
    assert_eq!(refused.to_string(), "log(temp) is NaN in row 1: every feature must be a finite number");
}

/// The rank by elimination with full pivots: other code than that of the library.
fn rank(matrix: &Matrix) -> usize {
    let mut rows: Vec<Vec<f64>> = (0..matrix.rows()).map(|i| matrix.row(i).to_vec()).collect();
    let (mut rank, columns) = (0, matrix.columns());
    for k in 0..columns {
        let Some(pivot) = (rank..rows.len()).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs()))
        else {
            break;
        };
        if rows[pivot][k].abs() < 1e-9 {
            continue;
        }
        rows.swap(rank, pivot);
        let leading = rows[rank].clone();
        for row in rows.iter_mut().skip(rank + 1) {
            let factor = row[k] / leading[k];
            row.iter_mut().zip(&leading).for_each(|(x, y)| *x -= factor * y);
        }
        rank += 1;
    }
    rank
}

/// Every combination of levels, twice with other numbers: nothing is collinear by accident.
type FullTable = (Vec<f64>, Vec<f64>, Vec<u32>, Vec<u32>, Vec<u32>);

fn full_table() -> FullTable {
    let mut table = FullTable::default();
    for row in 0..72u32 {
        table.0.push(f64::from((row * 37 + 11) % 71) / 35.0 - 1.0);
        table.1.push(f64::from((row * 23 + 5) % 67) / 33.0 - 1.0);
        table.2.push(row % 3);
        table.3.push(row / 3 % 2);
        table.4.push(row / 6 % 2);
    }
    table
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is left out: as many features as the terms span, and never a collinear one.
    #[test]
    fn features_are_independent_and_span_what_all_levels_span(
        picked in proptest::collection::vec(1u32..32, 1..6), intercept in any::<bool>()
    ) {
        let factors = ["x", "z", "a", "b", "c"];
        let term = |mask: &u32| {
            let parts: Vec<&str> = (0..5).filter(|k| mask >> k & 1 == 1).map(|k| factors[k]).collect();
            parts.join(":")
        };
        let terms: Vec<String> = picked.iter().map(term).collect();
        let text = format!("~ {} + {}", u8::from(intercept), terms.join(" + "));
        let columns = [
            Variable::numeric("x"),
            Variable::numeric("z"),
            Variable::category("a", ["1", "2", "3"]),
            Variable::category("b", ["1", "2"]),
            Variable::category("c", ["1", "2"]),
        ];
        let table = full_table();
        let values = [
            Values::Numbers(table.0.clone()),
            Values::Numbers(table.1.clone()),
            Values::Levels(&table.2),
            Values::Levels(&table.3),
            Values::Levels(&table.4),
        ];
        let features = Formula::parse(&text).unwrap().bind(&columns).unwrap().features(72, &values).unwrap();
        // All levels of every term, and the constant.
        let mut all: Vec<Vec<f64>> = vec![Vec::new(); 72];
        for (row, cells) in all.iter_mut().enumerate() {
            if intercept {
                cells.push(1.0);
            }
            for mask in &picked {
                let number = [table.0[row], table.1[row]].iter().enumerate()
                    .filter(|(k, _)| mask >> k & 1 == 1).map(|(_, x)| x).product::<f64>();
                let levels = [(2, 3, table.2[row]), (3, 2, table.3[row]), (4, 2, table.4[row])];
                let mut products = vec![number];
                for (k, count, level) in levels {
                    if mask >> k & 1 == 1 {
                        products = products.iter().flat_map(|product| (0..count).map(move |at| if at == level { *product } else { 0.0 })).collect();
                    }
                }
                cells.extend(products);
            }
        }
        let spanned = rank(&Matrix::from_rows(&all));
        prop_assert_eq!(features.columns(), spanned, "{}", text);
        prop_assert_eq!(rank(&features), spanned, "{}", text);
    }

    /// No text, however odd, panics.
    #[test]
    fn any_text_is_read_or_refused(text in "[~a-c0-3 +:*/^().I,\"`Clog-]{0,40}") {
        if let Ok(formula) = Formula::parse(&text) {
            let _ = formula.bind(&[Variable::numeric("a"), Variable::category("b", ["u", "v"])]);
        }
    }
}
