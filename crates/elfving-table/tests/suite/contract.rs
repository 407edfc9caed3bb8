//! One test for each rule of the contract on bad tables, with the message checked to the letter.

use elfving_table::{
    Code, Decimal, Dialect, LogBase, Marker, OneHot, PoolOptions, PoolTable, ReadOptions, TableError,
    WarningCode, read_bytes,
};

const FEATURE_HELP: &str = "\n  help: a feature must be known for every candidate: correct the cell, remove the row, \
                            or leave the column out";
const DECIMAL_HELP: &str =
    "\n  help: write numbers like 1234.5; if the file has decimal commas, declare them";

fn by_id() -> PoolOptions {
    PoolOptions::default().id("id")
}

fn pool_with(csv: &[u8], reading: &ReadOptions, options: &PoolOptions) -> Result<PoolTable, TableError> {
    let mut reading = reading.clone();
    reading.text.extend(options.id.clone());
    PoolTable::from_table(read_bytes("pool.csv", csv, &reading)?, options)
}

fn pool(csv: &str, options: &PoolOptions) -> Result<PoolTable, TableError> {
    pool_with(csv.as_bytes(), &ReadOptions::default(), options)
}

fn refusal(csv: &str, options: &PoolOptions) -> String {
    pool(csv, options).expect_err("a refusal").to_string()
}

fn warnings(csv: &str, options: &PoolOptions) -> Vec<String> {
    pool(csv, options).expect("a pool").warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn numbers_that_are_not_finite_are_refused_cell_by_cell() {
    let csv = "id,x,y\na,1,2\nb,NaN,3\nc,inf,4\nd,5,1e999\ne,6,7\nf,8,9\n";
    assert_eq!(
        refusal(csv, &by_id()),
        format!(
            "error[E312]: pool.csv:3: column \"x\": \"NaN\" is not a finite number\n\
             error[E312]: pool.csv:4: column \"x\": \"inf\" is not a finite number\n\
             error[E312]: pool.csv:5: column \"y\": \"1e999\" is not a finite number{FEATURE_HELP}"
        )
    );
}

#[test]
fn a_column_of_nothing_but_nan_is_refused_and_not_taken_for_text() {
    let text = refusal("id,x,y\na,1,NaN\nb,2,NaN\n", &by_id());
    assert!(
        text.starts_with("error[E312]: pool.csv:2: column \"y\": \"NaN\" is not a finite number\n"),
        "{text}"
    );
}

#[test]
fn decimal_commas_and_grouped_digits_are_refused_and_never_guessed() {
    assert_eq!(
        refusal("id,x\na,\"0,51\"\nb,1 234\nc,2\n", &by_id()),
        format!(
            "error[E311]: pool.csv:2: column \"x\": \"0,51\" is not written as a plain number\n\
             error[E311]: pool.csv:3: column \"x\": \"1 234\" is not written as a plain number{DECIMAL_HELP}"
        )
    );
    // As a spreadsheet in a country with decimal commas saves it: every cell is one, and still refused.
    assert_eq!(
        refusal("id;x\na;0,51\nb;0,52\n", &by_id()).lines().next().unwrap(),
        "error[E311]: pool.csv:2: column \"x\": \"0,51\" is not written as a plain number"
    );
}

#[test]
fn decimal_commas_are_read_when_declared() {
    for csv in ["id;x\na;0,51\nb;-1,5e3\n", "id\tx\na\t0,51\nb\t-1,5e3\n"] {
        let reading = ReadOptions::default().decimal(Decimal::Comma);
        assert_eq!(
            pool_with(csv.as_bytes(), &reading, &by_id()).unwrap().features.as_slice(),
            [0.51, -1500.0]
        );
    }
    let reading = ReadOptions::default().decimal(Decimal::Comma);
    assert_eq!(
        pool_with(b"id;x\na;0.51\nb;1,5\n", &reading, &by_id()).unwrap_err().to_string(),
        "error[E311]: pool.csv:2: column \"x\": \"0.51\" is not written as a plain number\n  \
         help: the file was read with decimal commas: write numbers like 1234,5"
    );
}

#[test]
fn a_typographic_minus_gets_its_own_help() {
    assert_eq!(
        refusal("id,x\na,\u{2212}3\nb,\u{2013}0.5\nc,\u{2212}1e\u{2212}3\nd,1\n", &by_id()),
        "error[E311]: pool.csv:2: column \"x\": \"\u{2212}3\" is not written as a plain number\n  \
         help: write the minus sign as a hyphen: -3\n\
         error[E311]: pool.csv:3: column \"x\": \"\u{2013}0.5\" is not written as a plain number\n  \
         help: write the minus sign as a hyphen: -0.5\n\
         error[E311]: pool.csv:4: column \"x\": \"\u{2212}1e\u{2212}3\" is not written as a plain number\n  \
         help: write the minus sign as a hyphen: -1e-3"
    );
    // A decimal comma is more than a minus.
    assert!(refusal("id,x\na,\"\u{2212}0,5\"\nb,1\n", &by_id()).ends_with(DECIMAL_HELP));
}

#[test]
fn text_in_the_id_column_is_kept_as_it_is() {
    let csv = "id,x\nNA,1\nnull,2\n007,3\n1e999,4\nNaN,5\n";
    assert_eq!(pool(csv, &by_id()).unwrap().ids, ["NA", "null", "007", "1e999", "NaN"]);
}

#[test]
fn an_id_column_of_digits_keeps_its_digits() {
    assert_eq!(pool("id,x\n007,1\n1.50,2\n1e3,3\n", &by_id()).unwrap().ids, ["007", "1.50", "1e3"]);
}

#[test]
fn without_an_id_column_the_row_number_from_zero_is_the_id() {
    assert_eq!(pool("x\n5\n6\n", &PoolOptions::default()).unwrap().ids, ["0", "1"]);
}

#[test]
fn a_missing_header_is_refused() {
    assert_eq!(
        refusal("", &by_id()),
        "error[E320]: pool.csv:1: the file is empty\n  help: the first line must name the columns"
    );
    assert_eq!(
        refusal("1,2\n3,4\n", &PoolOptions::default()),
        "error[E320]: pool.csv:1: there is no header: the first line holds only numbers\n  \
         help: add a first line that names the columns"
    );
    assert_eq!(
        refusal("id,,y\na,1,2\n", &by_id()),
        "error[E320]: pool.csv:1: column 2 of 3 has no name\n  \
         help: name every column in the first line, or delete the column"
    );
}

#[test]
fn a_duplicate_header_is_refused() {
    assert_eq!(
        refusal("id,x,y, x\na,1,2,3\n", &by_id()),
        "error[E321]: pool.csv:1: column \" x\": columns 2 and 4 have the same name\n  \
         help: give each column its own name"
    );
}

#[test]
fn ragged_rows_are_refused_with_their_lines() {
    let help = "\n  help: put a cell that contains a comma in quotes; \
                a file with decimal commas needs ; between its cells and must be declared";
    assert_eq!(
        refusal("id,x\r\na,1\r\nb\r\n\r\nc,0,51\r\n", &by_id()),
        format!(
            "error[E322]: pool.csv:3: 1 cell where the header has 2\n\
             error[E322]: pool.csv:5: 3 cells where the header has 2{help}"
        )
    );
}

#[test]
fn text_that_is_not_utf8_is_refused_with_its_line() {
    let help = "\n  help: save the file as UTF-8 (in a spreadsheet: \"CSV UTF-8\")";
    let error = pool_with(b"id,x\na,1\nM\xfcller,2\n", &ReadOptions::default(), &by_id()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("error[E323]: pool.csv:3: column \"id\": \"M\u{fffd}ller\" is not UTF-8 text{help}")
    );
    let error = pool_with(b"id,\xb5m\na,1\n", &ReadOptions::default(), &by_id()).unwrap_err();
    assert_eq!(error.problems()[0].code, Code::NotUtf8);
    assert_eq!(error.problems()[0].line(), Some(1));
    let error = pool_with(b"\xff\xfei\0d\0\n\0", &ReadOptions::default(), &by_id()).unwrap_err();
    assert_eq!(error.to_string(), format!("error[E323]: pool.csv:1: the file is UTF-16 text{help}"));
    // Without a byte-order mark, in either order of bytes.
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes: Vec<u8> = "id,x\na,1\n".encode_utf16().flat_map(order).collect();
        let error = pool_with(&bytes, &ReadOptions::default(), &by_id()).unwrap_err();
        assert_eq!(error.to_string(), format!("error[E323]: pool.csv:1: the file is UTF-16 text{help}"));
    }
}

#[test]
fn lines_of_delimiters_alone_at_the_end_are_blank_lines() {
    let whole = pool("id,x,y\na,1,2\nb,3,4\n", &by_id()).unwrap();
    for tail in [",,\n", ",,\n,,\n\n", " , ,\n", ",,,,\n", "\"\",,\n"] {
        let pool = pool(&format!("id,x,y\na,1,2\nb,3,4\n{tail}"), &by_id()).unwrap();
        assert_eq!((&pool.ids, &pool.features), (&whole.ids, &whole.features), "{tail:?}");
    }
    // Between rows they are rows, and a pool refuses them by their lines.
    assert_eq!(
        refusal("id,x\na,1\n,\nb,2\n,\n", &by_id()),
        format!(
            "error[E310]: pool.csv:3: column \"id\": the cell is empty\n  help: every candidate needs an id\n\
             error[E310]: pool.csv:3: column \"x\": the cell is empty{FEATURE_HELP}"
        )
    );
}

#[test]
fn a_nul_byte_is_refused_with_its_line() {
    assert_eq!(
        refusal("id,x\na,1\nb,2\0\n", &by_id()),
        "error[E324]: pool.csv:3: column \"x\": \"2\\0\" contains a NUL byte\n  \
         help: save the file as UTF-8 (in a spreadsheet: \"CSV UTF-8\")"
    );
}

#[test]
fn quotes_that_do_not_close_and_stray_carriage_returns_are_refused() {
    assert_eq!(
        refusal("id,x\n\"a\"b,1\nc,\"2\nd,3\n", &by_id()),
        "error[E325]: pool.csv:2: text follows the closing quote of a cell\n  \
         help: put the whole cell in quotes; inside a quoted cell write a quote twice\n\
         error[E325]: pool.csv:3: a quoted cell that starts in this row is not closed\n  \
         help: close the quote; inside a quoted cell write a quote twice"
    );
    assert_eq!(
        refusal("id,x\ra,1\rb,2\r", &PoolOptions::default()).lines().next().unwrap(),
        "error[E326]: pool.csv:1: a carriage return without a line feed"
    );
}

#[test]
fn byte_order_marks_and_windows_line_ends_are_accepted() {
    let csv = "\u{feff}id,time (min)\r\na,5\r\nb,7.5\r\n";
    let pool = pool(csv, &by_id()).unwrap();
    assert_eq!(pool.ids, ["a", "b"]);
    assert_eq!(pool.feature_names, ["time (min)"]);
    assert_eq!(pool.features.as_slice(), [5.0, 7.5]);
    // And the sheet goes back as it came.
    let dialect = pool.table.dialect();
    assert_eq!(dialect, Dialect { crlf: true, bom: true, ..Dialect::default() });
    assert_eq!(pool.table.write_csv(Vec::new(), dialect).unwrap(), csv.as_bytes());
}

#[test]
fn a_duplicate_id_is_refused_with_both_lines() {
    assert_eq!(
        refusal("id,x\na,1\nb,2\n\na,3\n", &by_id()),
        "error[E332]: pool.csv:5: column \"id\": \"a\" is already the id of line 2\n  \
         help: give each candidate its own id; repeated measurements belong in the results, not in the pool"
    );
}

#[test]
fn an_empty_id_is_refused() {
    assert_eq!(
        refusal("id,x\na,1\n ,2\n", &by_id()),
        "error[E310]: pool.csv:3: column \"id\": the cell is empty\n  help: every candidate needs an id"
    );
}

#[test]
fn identical_features_with_different_ids_are_accepted_with_a_warning() {
    let found = warnings("id,x,y\na,1,2\nb,1,3\nc,1.0,2\nd,1,3\ne,4,4\n", &by_id());
    assert_eq!(
        found,
        [
            "warning[W301]: pool.csv: 2 groups of candidates with different ids and identical features: {a, c}, {b, d}\n  \
          help: no model can distinguish the candidates of a group; if they differ, add a column that says how"
        ]
    );
}

#[test]
fn a_constant_column_is_accepted_with_a_warning() {
    assert_eq!(
        warnings("id,x,pH\na,1,7\nb,2,7\n", &by_id()),
        ["warning[W302]: pool.csv: the same value in every row of column \"pH\"\n  \
          help: a constant column cannot distinguish candidates; keep it only as the intercept of a linear model"]
    );
}

#[test]
fn scales_that_differ_too_much_are_accepted_with_a_warning_and_not_rescaled() {
    let csv = "id,x,dose\na,2e6,0.5\nb,1e6,1\n";
    assert_eq!(
        warnings(csv, &by_id()),
        [
            "warning[W303]: pool.csv: the scales of the columns differ by a factor above 1e6: \"x\" reaches 2e6, \"dose\" only 1e0\n  \
          help: nothing was rescaled; standardize the columns to mean 0 and deviation 1"
        ]
    );
    assert_eq!(pool(csv, &by_id()).unwrap().features.as_slice(), [2e6, 0.5, 1e6, 1.0]);
    assert!(warnings("id,x,dose\na,1e6,0.5\nb,5e5,1\n", &by_id()).is_empty());
    let standardized = by_id().standardize(true);
    assert!(warnings(csv, &standardized).is_empty());
    assert_eq!(pool(csv, &standardized).unwrap().features.as_slice(), [1.0, -1.0, -1.0, 1.0]);
}

#[test]
fn a_pool_without_rows_or_features_is_refused() {
    assert_eq!(
        refusal("id,x\n", &by_id()),
        "error[E330]: pool.csv: the table has no candidates\n  help: a pool needs a header and at least one row"
    );
    assert_eq!(
        refusal("id,name,y\na,foo,1\n", &by_id().exclude("y")),
        "error[E331]: pool.csv: the table has no feature column\n  \
         help: a feature is a numeric column that is neither the id nor left out; text columns can be encoded as categories"
    );
}

#[test]
fn one_candidate_is_a_pool() {
    let pool = pool("id,x\na,1\n", &by_id()).unwrap();
    assert_eq!((pool.features.rows(), pool.warnings.len()), (1, 0));
}

#[test]
fn empty_feature_cells_are_refused_with_line_and_column() {
    assert_eq!(
        refusal("id,x,y\na,1,\nb,2,3\nc, ,4\n", &by_id()),
        format!(
            "error[E310]: pool.csv:2: column \"y\": the cell is empty\n\
             error[E310]: pool.csv:4: column \"x\": the cell is empty{FEATURE_HELP}"
        )
    );
    // An outcome that is not measured yet is no feature.
    assert_eq!(pool("id,x,y\na,1,\nb,2,3\n", &by_id().exclude("y")).unwrap().feature_names, ["x"]);
}

#[test]
fn a_text_column_in_the_list_of_features_is_refused_with_its_first_cells() {
    let options = by_id().features(["x", "ligand"]);
    let csv = "id,x,ligand\na,1,XPhos\nb,2,PPh3\nc,3,PCy3\nd,4,XPhos\n";
    assert_eq!(
        refusal(csv, &options),
        "error[E313]: pool.csv:2: column \"ligand\": the column is text, but a feature must be a number: \
         \"XPhos\" (line 2), \"PPh3\" (line 3), \"PCy3\" (line 4) and 1 more\n  \
         help: encode \"ligand\" as a category, or take it out of the list of features"
    );
}

#[test]
fn text_in_a_column_of_numbers_is_refused_unless_declared() {
    let csv = "id,x\na,1\nb,n.d.\nc,3\n";
    assert_eq!(
        refusal(csv, &by_id()),
        "error[E313]: pool.csv:3: column \"x\": \"n.d.\" is text where a number is needed\n  \
         help: correct the cell, declare which number the text stands for, or encode the column as a category"
    );
    let declared = by_id().marker(Marker::number("n.d.", 0.0));
    assert_eq!(pool(csv, &declared).unwrap().features.as_slice(), [1.0, 0.0, 3.0]);
    assert_eq!(
        refusal("id,x\na,n.d.\nb,n.d.\nc,3\n", &by_id().marker(Marker::missing("n.d."))),
        "error[E315]: pool.csv:2: column \"x\": \"n.d.\" is declared as missing\n\
         error[E315]: pool.csv:3: column \"x\": \"n.d.\" is declared as missing\n  \
         help: a feature must be known for every candidate: correct the cell or remove the row"
    );
    let sentinel = by_id().marker(Marker::missing("-999"));
    assert_eq!(
        refusal("id,x\na,1\nb,-999.0\n", &sentinel).lines().next().unwrap(),
        "error[E315]: pool.csv:3: column \"x\": \"-999\" is declared as missing"
    );
}

#[test]
fn a_log_scale_refuses_what_has_no_logarithm() {
    let options = by_id().log_scale("x", LogBase::Two);
    assert_eq!(
        refusal("id,x\na,8\nb,0\nc,-2.50\n", &options),
        "error[E314]: pool.csv:3: column \"x\": \"0\" has no logarithm\n\
         error[E314]: pool.csv:4: column \"x\": \"-2.5\" has no logarithm\n  \
         help: a log scale needs positive numbers: correct the cell, or use the column as it is"
    );
    let pool = pool("id,x\na,8\nb,1\nc,0.25\n", &options).unwrap();
    assert_eq!(
        (pool.feature_names, pool.features.into_vec()),
        (vec!["log2(x)".to_owned()], vec![3.0, 0.0, -2.0])
    );
}

#[test]
fn columns_that_do_not_exist_or_have_two_roles_are_refused() {
    assert_eq!(
        refusal("id,x,y\na,1,2\n", &by_id().features(["x", "z"])),
        "error[E333]: pool.csv: there is no column \"z\"\n  help: the columns are \"id\", \"x\", \"y\""
    );
    assert_eq!(
        refusal("id,x,y\na,1,2\n", &PoolOptions::default().id("name")),
        "error[E333]: pool.csv: there is no column \"name\"\n  help: the columns are \"id\", \"x\", \"y\""
    );
    // Once, also where the reader and the pool are told of the same column.
    let twice = ReadOptions::default().text("name").text(" name");
    for (reading, options) in [
        (twice, PoolOptions::default().id("name")),
        (ReadOptions::default(), PoolOptions::default().features(["x", "name", "name"]).exclude("name")),
    ] {
        let error = pool_with(b"id,x,y\na,1,2\n", &reading, &options).unwrap_err();
        assert_eq!(error.total(), 1, "{error}");
    }
    let help = "\n  help: give each column one role: id, feature, or left out; only features are encoded";
    assert_eq!(
        refusal("id,x,y\na,1,2\n", &by_id().features(["id", "x", "x", "y"]).exclude("y")),
        format!(
            "error[E334]: pool.csv: column \"id\": the id cannot be a feature\n\
             error[E334]: pool.csv: column \"x\": the list of features names the column twice\n\
             error[E334]: pool.csv: column \"y\": the column is a feature and is left out{help}"
        )
    );
    assert_eq!(
        refusal("id,x,y\na,1,2\n", &by_id().features(["x"]).log_scale("y", LogBase::E)),
        format!(
            "error[E334]: pool.csv: column \"y\": the column is to be encoded, but it is not a feature{help}"
        )
    );
}

#[test]
fn a_category_with_too_many_levels_is_refused() {
    let options = by_id().one_hot(OneHot::AllText).max_levels(2);
    assert_eq!(
        refusal("id,s\na,u\nb,v\nc,w\n", &options),
        "error[E335]: pool.csv: column \"s\": 3 different values are too many for a category (at most 2)\n  \
         help: leave \"s\" out; it may be an id or a comment"
    );
}

#[test]
fn text_columns_that_are_left_out_are_reported() {
    assert_eq!(
        warnings("id,x,ligand,when\na,1,XPhos,2024-05-12\nb,2,PPh3,2024-05-13\n", &by_id()),
        ["warning[W304]: pool.csv: text columns not used as features: \"ligand\", \"when\"\n  \
          help: text columns can be encoded as categories"]
    );
}

#[test]
fn numbers_with_a_unit_are_reported_as_such() {
    let csv = "id,x,dose,rank\na,1,5 mg,1st\nb,2,10 mg,2nd\nc,3,,3rd\n";
    assert_eq!(
        warnings(csv, &by_id()),
        [
            "warning[W304]: pool.csv: text column not used as feature: \"rank\"\n  \
             help: text columns can be encoded as categories",
            "warning[W306]: pool.csv: column \"dose\" is not used as a feature: \
             its cells are numbers with a unit, such as \"5 mg\"\n  \
             help: name the column \"dose (mg)\" and write only the numbers in its cells",
        ]
    );
    let mixed = warnings("id,x,dose\na,1,5 mg\nb,2,1 g\n", &by_id());
    assert!(mixed[0].ends_with("help: convert the cells to one unit, name it in the header, and write only the numbers in the cells"), "{mixed:?}");
    let encoded = warnings("id,x,dose\na,1,80%\nb,2,90%\n", &by_id().one_hot(OneHot::AllText));
    assert!(
        encoded[0]
            .contains("is a category without order: its cells are numbers with a unit, such as \"80%\"\n"),
        "{encoded:?}"
    );
    let help = "\n  help: name the column \"dose (mg)\" and write only the numbers in its cells";
    assert!(refusal("id,dose\na,5 mg\nb,6 mg\n", &by_id().features(["dose"])).ends_with(help));
    assert!(refusal("id,dose\na,5 mg\nb,6 mg\n", &by_id()).ends_with(help));
}

#[test]
fn an_id_column_that_was_not_declared_is_reported() {
    assert_eq!(
        warnings("id,x\n0,1\n1,2\n", &PoolOptions::default()),
        ["warning[W305]: pool.csv: column \"id\" is used as a feature\n  \
          help: if \"id\" names the candidates, declare it as the id"]
    );
}

#[test]
fn all_problems_are_listed_first_twenty_then_a_count() {
    let mut csv = "id,x,y\n".to_owned();
    for row in 0..30 {
        // Two thirds of the cells are numbers.
        csv.push_str(&format!("a{row},{},{}\n", ["1", "2", "NaN"][row % 3], ["3", "", "4"][row % 3]));
    }
    let error = pool(&csv, &by_id()).unwrap_err();
    assert_eq!((error.problems().len(), error.total()), (20, 20));
    for row in 0..3 {
        csv.push_str(&format!("b{row},NaN,1\n"));
    }
    let error = pool(&csv, &by_id()).unwrap_err();
    assert_eq!((error.problems().len(), error.total()), (20, 23));
    let lines: Vec<u64> = error.problems().iter().filter_map(|problem| problem.line()).collect();
    assert!(lines.is_sorted(), "{lines:?}");
    assert!(error.to_string().ends_with("\n  and 3 more problems, 23 in all"), "{error}");
}

#[test]
fn files_of_other_kinds_are_refused() {
    let error = read_bytes("pool.ods", b"PK", &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[E302]: pool.ods: files of type .ods cannot be read\n  \
         help: save the table as .csv, .xlsx, .npy, .npz or .parquet"
    );
    let error = elfving_table::read("no/such/pool.csv", &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("error[E301]: no/such/pool.csv: cannot be read: "), "{error}");
}

/// A zip archive of empty files.
fn zip_of(names: &[&str]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    names.iter().for_each(|name| archive.start_file(*name, stored).expect("a file in memory"));
    archive.finish().expect("an archive in memory").into_inner()
}

#[test]
fn a_file_that_is_not_what_its_name_says_is_called_by_its_kind() {
    let save = "open it in a spreadsheet program and save it as \"CSV UTF-8\"";
    for (bytes, name, help) in [
        (b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec(), "a gzip file", "decompress it first"),
        (zip_of(&["[Content_Types].xml", "xl/workbook.xml"]), "an Excel file", "name it .xlsx"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0".to_vec(),
            "an Excel file of another kind",
            "open it in a spreadsheet program and save it as .xlsx without a password, or as \"CSV UTF-8\"",
        ),
        (zip_of(&["mimetype", "content.xml"]), "an OpenDocument file", save),
        (zip_of(&["features.npy"]), "an archive of NumPy arrays", "name it .npz"),
        (zip_of(&["pool.csv"]), "a zip archive", "extract the table from it first"),
        (b"PK\x03\x04 and then nothing".to_vec(), "a zip archive", "extract the table from it first"),
        (b"\x93NUMPY\x01\0".to_vec(), "a NumPy array", "name it .npy"),
        (b"PAR1\x15\x04".to_vec(), "a Parquet file", "name it .parquet"),
    ] {
        let error = read_bytes("pool.csv", &bytes, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("error[E303]: pool.csv: this is {name}\n  help: {help}"));
    }
    let error = read_bytes("pool.npy", b"\x1f\x8b\x08\0", &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("this is a gzip file"), "{error}");
    // A column may be called after a format.
    assert!(read_bytes("pool.csv", b"PAR1,BZh\n1,2\n", &ReadOptions::default()).is_ok());
}

#[test]
#[cfg(not(feature = "parquet"))]
fn a_build_without_parquet_says_so() {
    let error = read_bytes("pool.parquet", b"PAR1", &ReadOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "error[E302]: pool.parquet: this build does not read .parquet\n  \
         help: build with the cargo feature `parquet`, or save the table as .csv or .npy"
    );
}

#[test]
fn problems_and_warnings_are_data_that_can_be_sent_on() {
    let error = pool("id,x\na,1\nb,NaN\n", &by_id()).unwrap_err();
    let json = serde_json::to_value(&error.problems()[0]).unwrap();
    assert_eq!(json["code"], "E312");
    assert_eq!(json["place"]["line"], 3);
    assert_eq!(json["column"], "x");
    let warnings = pool("id,x,y\na,1,2\nb,1,3\n", &by_id()).unwrap().warnings;
    assert_eq!(warnings[0].code(), WarningCode::ConstantColumns);
    assert_eq!(serde_json::to_value(&warnings[0]).unwrap()["notice"]["constant_columns"]["columns"][0], "x");
}
