//! Conditions on rows: what holds, what is refused and where, and that printing and reading are the same thing.

use elfving_table::{
    Condition, PoolOptions, PoolTable, ReadOptions, Table, TableError, read_bytes, write_npy,
};
use proptest::prelude::*;

const POOL: &[u8] = b"id,dose,time (min),ligand,note\n\
    a,1,5,XPhos,\n\
    b,2,10,SPhos,first\n\
    c,3.5,,XPhos,\n\
    d,-1,20, dppf ,in stock\n";

fn table() -> Table {
    read_bytes("pool.csv", POOL, &ReadOptions::default().text("id")).unwrap()
}

fn chosen(condition: &str) -> String {
    let table = table();
    let rows =
        Condition::parse(condition).unwrap_or_else(|error| panic!("{condition}\n{error}")).rows(&table);
    let rows = rows.unwrap_or_else(|error| panic!("{condition}\n{error}"));
    let ids = table.texts("id").unwrap();
    rows.iter().map(|&row| ids[row].as_str()).collect()
}

#[test]
fn what_holds_where() {
    for (condition, ids) in [
        ("dose <= 2", "abd"),
        ("dose < 2", "ad"),
        ("dose = 3.5", "c"),
        ("dose == 3.5", "c"),
        ("dose != 2", "acd"),
        ("dose <> 2", "acd"),
        ("dose >= -1e0", "abcd"),
        ("dose > -1", "abc"),
        ("2 < dose", "c"),
        ("`time (min)` >= 10", "bd"),
        ("dose + `time (min)` <= 7", "a"),
        ("2*dose - `time (min)`/5 > 0", "ab"),
        ("-(dose - 1) * 2 >= 0", "ad"),
        ("dose * 2 = 2 * (dose + 1) - 2", "abcd"),
        ("`time (min)` > 5 * dose", "d"),
        ("ligand = \"XPhos\"", "ac"),
        ("ligand != 'XPhos'", "bd"),
        ("ligand in (\"XPhos\", 'dppf')", "acd"),
        ("ligand not in (\"XPhos\")", "bd"),
        ("dose in (1, -1, 7)", "ad"),
        ("dose not in (1)", "bcd"),
        ("note is empty", "ac"),
        ("note is not empty", "bd"),
        // A comparison with an empty cell never holds.
        ("`time (min)` < 1000", "abd"),
        ("`time (min)` != 5", "bd"),
        ("`time (min)` is empty or `time (min)` > 10", "cd"),
        ("note != \"first\"", "d"),
        ("not dose <= 2", "c"),
        ("not not dose <= 2", "abd"),
        ("dose > 0 and dose < 3 or ligand = 'dppf'", "abd"),
        ("dose > 0 and (dose < 3 or ligand = 'dppf')", "ab"),
        ("((dose)) > 0 AND (((dose < 3)))", "ab"),
        ("id = 'a' Or id in ('d')", "ad"),
    ] {
        assert_eq!(chosen(condition), ids, "{condition}");
        let printed = Condition::parse(condition).unwrap().to_string();
        assert_eq!(chosen(&printed), ids, "{condition} is printed as {printed}");
    }
    let condition = Condition::parse("dose > 1").unwrap();
    assert_eq!((condition.matches(&table(), 0), condition.matches(&table(), 1)), (Ok(false), Ok(true)));
}

/// The message, and what is marked.
fn refused(condition: &str) -> (String, String) {
    let error = match Condition::parse(condition) {
        Ok(condition) => condition.rows(&table()).unwrap_err(),
        Err(error) => error,
    };
    let shown = error.to_string();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 3, "{shown}");
    assert_eq!(lines[1], format!("    {condition}"));
    let marked: String =
        lines[1].chars().zip(lines[2].chars()).filter(|&(_, mark)| mark == '^').map(|(c, _)| c).collect();
    (error.message, marked)
}

#[test]
fn every_refusal_says_what_and_where() {
    for (condition, message, marked) in [
        ("", "the condition ends where a column or a number should follow", ""),
        ("dosis <= 3", "there is no column \"dosis\"; the nearest is \"dose\"", "dosis"),
        (
            "dose <= 3 and `Time (min)` > 1 and tempo > 1",
            "there is no column \"Time (min)\"; the nearest is \"time (min)\"",
            "`Time (min)`",
        ),
        ("ligand = 'XPhoss'", "column \"ligand\" never has \"XPhoss\"; the nearest is \"XPhos\"", "'XPhoss'"),
        (
            "ligand in ('XPhos', 'water')",
            "column \"ligand\" never has \"water\"; it has \"SPhos\", \"XPhos\", \"dppf\"",
            "'water'",
        ),
        (
            "ligand = 3",
            "column \"ligand\" holds text (\"XPhos\" in line 2); compare it with text in quotes",
            "ligand",
        ),
        (
            "ligand + 1 > 3",
            "column \"ligand\" holds text (\"XPhos\" in line 2); compare it with text in quotes",
            "ligand",
        ),
        ("dose = '2'", "column \"dose\" holds numbers; write the number without quotes", "'2'"),
        ("ligand = ''", "for an empty cell write `is empty`", "''"),
        ("ligand < 'XPhos'", "text is compared with = and !=, or with `in`", "<"),
        ("dose + 1 = 'a'", "text is compared with one column", "dose + 1"),
        ("2*dose in (1, 2)", "`in` follows one column", "2*dose"),
        ("dose in (1, 'a')", "the list holds numbers or texts, not both", "'a'"),
        ("dose in 1", "`(` should be here", "1"),
        ("dose in (1", "the condition ends where `,` or `)` should follow", ""),
        ("dose in ()", "a number, or text in quotes, should be here", ")"),
        (
            "dose",
            "the condition ends where a comparison (= != < <= > >=), `in` or `is empty` should follow",
            "",
        ),
        ("dose <=", "the condition ends where a column or a number should follow", ""),
        ("dose <= 3 amd dose > 1", "`and`, `or`, or the end should be here (perhaps `and`)", "amd"),
        ("dose <= 3 dose", "`and`, `or`, or the end should be here", "dose"),
        ("(dose <= 3", "the condition ends where `)` should follow", ""),
        ("dose <= 3)", "`and`, `or`, or the end should be here", ")"),
        ("dose is full", "`empty` should be here", "full"),
        (
            "dose * dose <= 3",
            "only sums are understood: a column is multiplied or divided by a number",
            "dose * dose",
        ),
        (
            "1 / dose <= 3",
            "only sums are understood: a column is multiplied or divided by a number",
            "1 / dose",
        ),
        ("dose / 0 <= 3", "a number here is not finite", "dose / 0"),
        ("1 <= dose <= 3", "one comparison at a time: write 1 <= x and x <= 2", "<="),
        ("1 <= 3", "there is no column in this comparison", "1 <= 3"),
        (
            "'a' = ligand",
            "a comparison starts with a column; a column goes in backquotes, text behind the comparison",
            "'a'",
        ),
        ("ligand = 'XPhos", "the ' is not closed; write ' twice inside ' '", "'XPhos"),
        ("dose ≤ 3", "'≤' means nothing here; write <=", "≤"),
        ("dose > 1 && dose < 3", "'&' means nothing here; write and", "&"),
        ("dose > 1e999", "this number is too large", "1e999"),
        ("and > 1", "a column or a number should be here", "and"),
        ("time (min) > 1", "a comparison (= != < <= > >=), `in` or `is empty` should be here", "("),
    ] {
        let (said, at) = refused(condition);
        assert_eq!((said.as_str(), at.as_str()), (message, marked), "{condition}");
    }
    let deep = format!("{}dose > 1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(Condition::parse(&deep).unwrap_err().message.contains("too many parentheses"));
}

#[test]
fn a_condition_is_kept_as_its_text() {
    let options = PoolOptions::default().id("id").only(Condition::parse("dose  <= 2").unwrap());
    let json = serde_json::to_value(&options).unwrap();
    assert_eq!(json["where"], serde_json::json!(["dose  <= 2"]));
    assert_eq!(serde_json::from_value::<PoolOptions>(json).unwrap(), options);
    // Without one, files are as they were.
    let json = serde_json::to_value(PoolOptions::default()).unwrap();
    assert!(json.get("where").is_none());
    assert_eq!(serde_json::from_value::<PoolOptions>(json).unwrap(), PoolOptions::default());
    assert!(serde_json::from_str::<Condition>("\"dose <\"").is_err());
}

#[test]
fn only_rows_that_meet_all_conditions_are_candidates() {
    let only = |conditions: &[&str], id: bool| {
        let plain = PoolOptions::default().features(["dose"]);
        let plain = if id { plain.id("id") } else { plain };
        let options =
            conditions.iter().fold(plain, |options, text| options.only(Condition::parse(text).unwrap()));
        PoolTable::from_table(table(), &options)
    };
    let pool = only(&["dose > 0", "ligand = 'XPhos'"], true).unwrap();
    assert_eq!(pool.ids, ["a", "c"]);
    assert_eq!(pool.features.as_slice(), [1.0, 3.5]);
    assert_eq!(pool.table.texts("ligand").unwrap(), ["XPhos", "XPhos"]);
    assert_eq!(pool.table.place(1), elfving_table::Place::Line(4));
    // A row keeps its number.
    assert_eq!(only(&["dose > 2"], false).unwrap().ids, ["2"]);
    let nothing = only(&["dose > 100"], true).unwrap_err();
    assert!(nothing.to_string().starts_with("error[E330]: pool.csv: no row meets the condition dose > 100"));
    assert!(matches!(only(&["does > 1"], true), Err(TableError::Condition(_))));
    // A cell that is refused elsewhere does not matter in a row that is not a candidate.
    let bad = read_bytes("pool.csv", b"id,x\na,1\nb,NaN\nc,3\n", &ReadOptions::default()).unwrap();
    let options = PoolOptions::default().id("id").only(Condition::parse("id != 'b'").unwrap());
    assert_eq!(PoolTable::from_table(bad, &options).unwrap().ids, ["a", "c"]);
}

#[test]
fn arrays_have_conditions_too() {
    let mut bytes = Vec::new();
    let matrix = elfving::numerics::Matrix::from_row_major(3, 2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    write_npy(&mut bytes, &matrix).unwrap();
    let table = read_bytes("pool.npy", &bytes, &ReadOptions::default()).unwrap();
    let options = PoolOptions::default().only(Condition::parse("x0 + x1 > 4").unwrap());
    let pool = PoolTable::from_table(table, &options).unwrap();
    assert_eq!(pool.features.as_slice(), [3.0, 4.0, 5.0, 6.0]);
    assert_eq!(pool.ids, ["1", "2"]);
}

fn column() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_][a-z0-9_.]{0,4}".prop_map(|word| {
            let keyword = ["and", "or", "not", "in", "is", "empty"].contains(&word.as_str());
            if keyword { format!("`{word}`") } else { word }
        }),
        "[ -~µé]{1,6}".prop_map(|name| format!("`{}`", name.replace('`', "``"))),
    ]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![(0u32..1000).prop_map(|n| n.to_string()), (1e-9f64..1e12).prop_map(|x| x.to_string())]
}

fn quoted() -> impl Strategy<Value = String> {
    "[ -~µé]{0,6}".prop_map(|text| format!("\"{}\"", text.replace('"', "\"\"")))
}

fn sum() -> impl Strategy<Value = String> {
    let term = prop_oneof![
        column(),
        (number(), column()).prop_map(|(factor, column)| format!("{factor}*{column}")),
        (column(), 1u32..9).prop_map(|(column, by)| format!("{column}/{by}")),
        column().prop_map(|column| format!("-{column}")),
    ];
    let more = prop::collection::vec((prop::sample::select(vec![" + ", "-"]), term.clone()), 0..3);
    (term, more, prop::option::of(number())).prop_map(|(first, more, constant)| {
        let more: String = more.into_iter().map(|(sign, term)| format!("{sign}({term})")).collect();
        format!("{first}{more}{}", constant.map_or_else(String::new, |constant| format!(" - {constant}")))
    })
}

fn condition() -> impl Strategy<Value = String> {
    let how = prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        (sum(), how, prop_oneof![number(), sum()]).prop_map(|(a, how, b)| format!("{a} {how} {b}")),
        (column(), prop::sample::select(vec!["=", "!="]), quoted())
            .prop_map(|(a, how, b)| format!("{a}{how}{b}")),
        (column(), prop::collection::vec(quoted(), 1..4))
            .prop_map(|(a, list)| format!("{a} in ({})", list.join(","))),
        (column(), prop::collection::vec(number(), 1..4))
            .prop_map(|(a, list)| format!("{a} not in ({})", list.join(", "))),
        column().prop_map(|column| format!("{column} is empty")),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| parts.join(" and ")),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| format!("({})", parts.join(" or "))),
            inner.prop_map(|part| format!("not ({part})")),
        ]
    })
}

proptest! {
    #[test]
    fn printing_and_reading_back_gives_the_same(text in condition()) {
        let condition = Condition::parse(&text).unwrap();
        let printed = condition.to_string();
        let again = Condition::parse(&printed).unwrap();
        prop_assert_eq!(&again, &condition, "{} is printed as {}", text, printed);
        prop_assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[ -~µ≤\n]{0,40}") {
        if let Err(error) = Condition::parse(&text) {
            prop_assert!(error.at.end <= text.len() && !error.to_string().is_empty());
        }
    }
}
