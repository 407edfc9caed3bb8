//! What is written is what is read; and no bytes make the reader panic.

use std::path::Path;

use elfving_table::{
    Cell, ColumnData, CsvWriter, Decimal, Delimiter, Dialect, OneHot, PoolOptions, PoolTable, ReadOptions,
    Table, read_bytes,
};
use proptest::prelude::*;

fn dialects() -> impl Strategy<Value = Dialect> {
    let delimiters = prop_oneof![
        Just((Delimiter::Comma, Decimal::Point)),
        Just((Delimiter::Semicolon, Decimal::Point)),
        Just((Delimiter::Semicolon, Decimal::Comma)),
        Just((Delimiter::Tab, Decimal::Comma)),
        Just((Delimiter::Comma, Decimal::Comma)),
    ];
    (delimiters, any::<bool>(), any::<bool>()).prop_map(|((delimiter, decimal), crlf, bom)| Dialect {
        delimiter,
        decimal,
        crlf,
        bom,
    })
}

fn finite() -> impl Strategy<Value = f64> {
    any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite())
}

fn reading(dialect: Dialect) -> ReadOptions {
    ReadOptions::default().decimal(dialect.decimal).delimiter(dialect.delimiter)
}

proptest! {
    #[test]
    fn a_table_that_is_written_reads_back_as_it_was(
        dialect in dialects(),
        rows in prop::collection::vec((finite(), "[^\0]{0,6}", any::<i64>(), "['=+@\t\r\n\",; a-]{0,5}"), 0..20),
    ) {
        let mut sheet = CsvWriter::new(Vec::new(), dialect, ["x", "any text", "n", "=spreadsheet"]).unwrap();
        for (x, text, n, tricky) in &rows {
            sheet.row([Cell::Number(*x), text.as_str().into(), Cell::Integer(*n), tricky.as_str().into()]).unwrap();
        }
        let bytes = sheet.finish().unwrap();
        let options = reading(dialect).text("any text").text("=spreadsheet").text("n");
        let table = read_bytes("t.csv", &bytes, &options).unwrap();
        prop_assert_eq!(table.rows(), rows.len());
        let numbers = table.numbers("x").unwrap();
        let texts = table.texts("any text").unwrap();
        let integers = table.texts("n").unwrap();
        let tricky = table.texts("=spreadsheet").unwrap();
        for (i, row) in rows.iter().enumerate() {
            prop_assert_eq!(numbers[i].to_bits(), row.0.to_bits());
            prop_assert_eq!(&texts[i], &row.1);
            prop_assert_eq!(&integers[i], &row.2.to_string());
            prop_assert_eq!(&tricky[i], &row.3);
        }
        // Its dialect is recognised, and a second trip changes nothing.
        prop_assert_eq!(table.dialect(), dialect);
        let again = table.write_csv(Vec::new(), dialect).unwrap();
        prop_assert_eq!(read_bytes("t.csv", &again, &options).unwrap(), table);
    }

    #[test]
    fn every_cell_of_a_table_of_text_survives_without_being_declared(
        cells in prop::collection::vec("[0-9a',;=+@\" .-]{0,4}", 1..30)
    ) {
        let mut sheet = CsvWriter::new(Vec::new(), Dialect::default(), ["c", "anchor"]).unwrap();
        // One cell that is no number makes it a text column.
        for cell in cells.iter().map(String::as_str).chain(["text"]) {
            sheet.row([cell.into(), Cell::Integer(1)]).unwrap();
        }
        let table = read_bytes("t.csv", &sheet.finish().unwrap(), &ReadOptions::default()).unwrap();
        prop_assert!(matches!(table.columns()[0].data(), ColumnData::Texts(_)));
        let back = table.texts("c").unwrap();
        prop_assert_eq!(&back[..cells.len()], &cells[..]);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        try_everything(&bytes);
    }

    #[test]
    fn random_csv_never_panics_and_what_is_accepted_is_finite(text in "[a-c0-9,;\"\n\r\t .eE+'NaN\u{e9}\0-]{0,200}") {
        try_everything(text.as_bytes());
    }

    #[test]
    fn damaged_arrays_never_panic(
        name in prop::sample::select(&["f8.npy", "fortran_f8.npy", "two.npz", "only.npz"][..]),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
        let mut bytes = std::fs::read(path).unwrap();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        try_everything(&bytes);
    }
}

/// Reads the bytes as every kind of file, with several options.
fn try_everything(bytes: &[u8]) {
    for file in ["t.csv", "t.npy", "t.npz", "t.parquet"] {
        for decimal in [Decimal::Point, Decimal::Comma] {
            let options = ReadOptions::default().decimal(decimal);
            match read_bytes(file, bytes, &options) {
                Ok(table) => use_table(table),
                Err(error) => assert!(error.to_string().starts_with("error[E3")),
            }
        }
    }
}

fn use_table(table: Table) {
    for row in 0..table.rows() {
        assert_eq!(table.cells(row).len(), table.columns().len());
    }
    let dialect = table.dialect();
    table.write_csv(Vec::new(), dialect).expect("numbers are finite");
    let id = table.columns()[0].name().to_owned();
    for options in [
        PoolOptions::default(),
        PoolOptions::default().id(&id).one_hot(OneHot::AllText).standardize(true),
        PoolOptions::default().features([id]),
    ] {
        match PoolTable::from_table(table.clone(), &options) {
            Ok(pool) => {
                assert_eq!((pool.ids.len(), pool.features.rows()), (table.rows(), table.rows()));
                assert_eq!(pool.feature_names.len(), pool.features.columns());
                assert_eq!(pool.features.first_non_finite(), None);
            }
            Err(error) => assert!(error.to_string().starts_with("error[E3")),
        }
    }
}
