//! The page on tables lists every code with its meaning.

use elfving_table::{Code, WarningCode};

#[test]
fn every_code_is_on_the_page_with_its_meaning() {
    let page = include_str!("../../../../docs/tables.md");
    let codes = Code::ALL.iter().map(|code| (code.as_str(), code.meaning()));
    let warnings = WarningCode::ALL.iter().map(|code| (code.as_str(), code.meaning()));
    let mut rows = 0;
    for (code, meaning) in codes.chain(warnings) {
        let row = format!("| `{code}` | {meaning} |\n");
        assert!(page.contains(&row), "docs/tables.md lacks: {row}");
        rows += 1;
    }
    assert_eq!(
        page.matches("| `E3").count() + page.matches("| `W3").count(),
        rows,
        "a code that does not exist"
    );
}
