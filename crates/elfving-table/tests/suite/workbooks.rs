//! Excel workbooks: what is read, and what is refused with its cell.

use elfving_table::{
    Code, Column, ColumnData, Decimal, Place, PoolOptions, PoolTable, ReadOptions, Table, TableError,
    read_bytes,
};
use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook, Worksheet};

fn workbook(fill: impl FnOnce(&mut Worksheet)) -> Vec<u8> {
    let mut workbook = Workbook::new();
    fill(workbook.add_worksheet());
    workbook.save_to_buffer().unwrap()
}

fn read(bytes: &[u8]) -> Result<Table, TableError> {
    read_bytes("pool.xlsx", bytes, &ReadOptions::default().text("id"))
}

fn ids(sheet: &mut Worksheet, header_row: u32) {
    sheet.write(header_row, 0, "id").unwrap();
    for (k, id) in ["a", "007", "c"].iter().enumerate() {
        sheet.write(header_row + 1 + k as u32, 0, *id).unwrap();
    }
}

#[test]
fn numbers_text_truth_and_dates_are_read() {
    let bytes = workbook(|sheet| {
        ids(sheet, 0);
        let day = Format::new().set_num_format("yyyy-mm-dd");
        let moment = Format::new().set_num_format("yyyy-mm-dd hh:mm");
        for (column, name) in ["dose", "ligand", "dry", "day", "moment", "as text"].iter().enumerate() {
            sheet.write(0, column as u16 + 1, *name).unwrap();
        }
        for row in 1..=3u32 {
            sheet.write(row, 1, f64::from(row) / 4.0).unwrap();
            sheet.write(row, 2, "XPhos").unwrap();
            sheet.write(row, 3, row == 2).unwrap();
            sheet
                .write_with_format(row, 4, ExcelDateTime::from_ymd(2026, 11, row as u8).unwrap(), &day)
                .unwrap();
            let at = ExcelDateTime::from_ymd(2026, 11, 18).unwrap().and_hms(12, 30, 0).unwrap();
            sheet.write_with_format(row, 5, &at, &moment).unwrap();
            sheet.write(row, 6, "1.5").unwrap();
        }
    });
    let table = read(&bytes).unwrap();
    assert_eq!(table.texts("id").unwrap(), ["a", "007", "c"]);
    assert_eq!(table.numbers("dose").unwrap(), [0.25, 0.5, 0.75]);
    assert_eq!(table.numbers("dry").unwrap(), [0.0, 1.0, 0.0]);
    assert_eq!(table.texts("day").unwrap(), ["2026-11-01", "2026-11-02", "2026-11-03"]);
    assert_eq!(table.texts("moment").unwrap()[0], "2026-11-18T12:30:00");
    assert!(matches!(table.column("as text").unwrap().data(), ColumnData::Numbers(_)));
    assert_eq!(table.place(2), Place::Line(4));
    let pool =
        PoolTable::from_table(table, &PoolOptions::default().id("id").features(["dose", "dry"])).unwrap();
    assert_eq!(pool.ids, ["a", "007", "c"]);
}

#[test]
fn the_table_may_start_anywhere_and_blank_rows_are_skipped() {
    let bytes = workbook(|sheet| {
        for (row, cells) in [(4, ["id", "x"]), (5, ["a", "1"]), (8, ["b", "2"])] {
            for (k, cell) in cells.iter().enumerate() {
                match cell.parse::<f64>() {
                    Ok(number) => sheet.write(row, 3 + k as u16, number).unwrap(),
                    Err(_) => sheet.write(row, 3 + k as u16, *cell).unwrap(),
                };
            }
        }
        sheet.write(1_048_575, 16_383, " ").unwrap();
    });
    let table = read(&bytes).unwrap();
    assert_eq!(table.columns().iter().map(Column::name).collect::<Vec<_>>(), ["id", "x"]);
    assert_eq!((table.rows(), table.place(1)), (2, Place::Line(9)));
}

fn refusal(bytes: &[u8], options: &ReadOptions) -> (Code, Place, String) {
    let error = read_bytes("pool.xlsx", bytes, options).unwrap_err();
    let problem = error.problems().first().unwrap_or_else(|| panic!("{error}")).clone();
    (problem.code, problem.place, problem.message)
}

#[test]
fn what_is_refused_is_named_by_its_cell() {
    let plain = ReadOptions::default();
    let error = workbook(|sheet| {
        ids(sheet, 0);
        sheet.write(0, 1, "dose").unwrap();
        sheet.write(2, 1, Formula::new("=1/0").set_result("#DIV/0!")).unwrap();
    });
    assert_eq!(
        refusal(&error, &plain),
        (Code::UnsupportedType, Place::Line(3), "cell B3 holds the error #DIV/0!".to_owned())
    );
    let nameless = workbook(|sheet| {
        ids(sheet, 0);
        sheet.write(2, 3, "stray").unwrap();
    });
    assert_eq!(
        refusal(&nameless, &plain),
        (Code::NoHeader, Place::Line(3), "cell D3 is in a column without a name".to_owned())
    );
    let twice = workbook(|sheet| {
        ids(sheet, 0);
        sheet.write(0, 2, "id ").unwrap();
    });
    assert_eq!(refusal(&twice, &plain).2, "columns A and C have the same name");
    let numbers = workbook(|sheet| {
        for k in 0..3 {
            sheet.write(k, 0, f64::from(k)).unwrap();
        }
    });
    assert_eq!(refusal(&numbers, &plain).0, Code::NoHeader);
    assert_eq!(refusal(&workbook(|_| {}), &plain).0, Code::NoHeader);
    let text = workbook(|sheet| {
        ids(sheet, 0);
        sheet.write(0, 1, "dose").unwrap();
        for (row, cell) in [(1, "1"), (2, "NaN"), (3, "2")] {
            sheet.write(row, 1, cell).unwrap();
        }
    });
    let options = PoolOptions::default().id("id");
    let error = PoolTable::from_table(read(&text).unwrap(), &options).unwrap_err().to_string();
    assert!(
        error.starts_with("error[E312]: pool.xlsx:3: column \"dose\": \"NaN\" is not a finite number"),
        "{error}"
    );
}

#[test]
fn a_sheet_is_the_first_one_or_the_one_named() {
    let mut workbook = Workbook::new();
    for name in ["Plate 1", "Plate 2"] {
        let sheet = workbook.add_worksheet().set_name(name).unwrap();
        sheet.write(0, 0, name).unwrap();
        sheet.write(1, 0, 1).unwrap();
    }
    let bytes = workbook.save_to_buffer().unwrap();
    let first =
        |options: &ReadOptions| read_bytes("p.xlsx", &bytes, options).unwrap().columns()[0].name().to_owned();
    assert_eq!(first(&ReadOptions::default()), "Plate 1");
    assert_eq!(first(&ReadOptions::default().sheet("Plate 2")), "Plate 2");
    let error =
        read_bytes("p.xlsx", &bytes, &ReadOptions::default().sheet("Plate 3")).unwrap_err().to_string();
    assert!(error.starts_with("error[E304]: p.xlsx: there is no sheet \"Plate 3\""), "{error}");
    assert!(error.contains("Plate 1, Plate 2"), "{error}");
    // Options of files that were written before.
    let json = serde_json::to_string(&ReadOptions::default()).unwrap();
    assert!(!json.contains("sheet"));
    assert_eq!(serde_json::from_str::<ReadOptions>(&json).unwrap(), ReadOptions::default());
}

#[test]
fn a_file_is_what_its_bytes_say() {
    let bytes = workbook(|sheet| ids(sheet, 0));
    let error = read_bytes("pool.csv", &bytes, &ReadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("this is an Excel file") && error.contains("name it .xlsx"), "{error}");
    for other in [&b"id,x\na,1\n"[..], b"PK\x03\x04 and no more", b""] {
        let error = read_bytes("pool.xlsx", other, &ReadOptions::default()).unwrap_err().to_string();
        assert!(error.starts_with("error[E303]: pool.xlsx"), "{error}");
    }
    // Cut anywhere, it is refused and nothing panics.
    for end in (0..bytes.len()).step_by(97) {
        assert!(read_bytes("pool.xlsx", &bytes[..end], &ReadOptions::default()).is_err());
    }
}

#[test]
fn decimal_commas_are_for_text_alone() {
    let bytes = workbook(|sheet| {
        ids(sheet, 0);
        sheet.write(0, 1, "x").unwrap();
        sheet.write(1, 1, 0.5).unwrap();
        sheet.write(2, 1, "1,5").unwrap();
        sheet.write(3, 1, 2).unwrap();
    });
    let options = ReadOptions::default().decimal(Decimal::Comma);
    assert_eq!(read_bytes("pool.xlsx", &bytes, &options).unwrap().numbers("x").unwrap(), [0.5, 1.5, 2.0]);
    assert!(read_bytes("pool.xlsx", &bytes, &ReadOptions::default()).unwrap().numbers("x").is_err());
}
