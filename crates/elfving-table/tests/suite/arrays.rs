//! NumPy files, against files that NumPy itself wrote (`data/make.py`).

use std::path::Path;

use elfving::numerics::Matrix;
use elfving_table::{
    Code, ColumnData, Marker, OneHot, PoolOptions, PoolTable, ReadOptions, Table, TableError, read,
    read_bytes, read_pool, write_npy,
};

const A: [f64; 6] = [1.5, -2.0, 3.0, 4.0, 5.0, 6.0];

fn data(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn pool(name: &str) -> Result<PoolTable, TableError> {
    read_pool(data(name), &ReadOptions::default(), &PoolOptions::default())
}

fn refusal(name: &str) -> String {
    let error = pool(name).expect_err("a refusal").to_string();
    error.replace(&data(name).display().to_string(), name)
}

#[test]
fn floats_of_both_sizes_orders_and_endians_are_read() {
    for name in ["f8.npy", "f4.npy", "big_f8.npy", "fortran_f8.npy", "two.npz", "only.npz"] {
        let pool = pool(name).unwrap();
        assert_eq!((pool.features.rows(), pool.features.columns()), (2, 3), "{name}");
        assert_eq!(pool.features.as_slice(), A, "{name}");
        assert_eq!(pool.feature_names, ["x0", "x1", "x2"]);
        assert_eq!(pool.ids, ["0", "1"]);
    }
}

#[test]
fn integers_and_booleans_become_numbers() {
    assert_eq!(pool("i1.npy").unwrap().features.as_slice(), [2.0, -2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(pool("i2.npy").unwrap().features.as_slice(), [-300.0, 2.0, 3.0, 4.0]);
    assert_eq!(pool("big_i4.npy").unwrap().features.as_slice(), [-70000.0, 2.0, 3.0, 4.0]);
    assert_eq!(pool("i8.npy").unwrap().features.as_slice(), [-1099511627776.0, 2.0, 3.0, 4.0]);
    assert_eq!(pool("u1.npy").unwrap().features.as_slice(), [250.0, 2.0]);
    assert_eq!(pool("u8.npy").unwrap().features.as_slice(), [9223372036854775808.0, 2.0]);
    assert_eq!(pool("bool.npy").unwrap().features.as_slice(), [1.0, 0.0]);
}

#[test]
fn an_array_of_one_dimension_is_one_column() {
    let features = pool("one_d.npy").unwrap().features;
    assert_eq!((features.rows(), features.columns()), (3, 1));
    assert_eq!(features.as_slice(), [1.0, 2.5, 4.0]);
}

#[test]
fn what_is_not_a_table_of_numbers_is_refused() {
    assert_eq!(
        refusal("three_d.npy"),
        "error[E305]: three_d.npy: the array has 3 dimensions\n  \
         help: a table is an array with one row per candidate and one column per feature"
    );
    let help = "\n  help: convert the array to float64, float32 or integers";
    assert_eq!(
        refusal("complex.npy"),
        format!("error[E305]: complex.npy: elements of type <c16 are not supported{help}")
    );
    assert_eq!(
        refusal("record.npy"),
        format!("error[E305]: record.npy: an array of records is not supported{help}")
    );
    assert!(refusal("empty.npy").starts_with("error[E330]: empty.npy: the array is empty: 0 x 3\n  help: "));
}

#[test]
fn a_number_that_is_not_finite_is_refused_with_its_row() {
    let text = refusal("nan.npy");
    assert!(
        text.starts_with(
            "error[E312]: nan.npy: row 0: column \"x1\": \"NaN\" is not a finite number\n  help: "
        ),
        "{text}"
    );
}

#[test]
fn the_array_of_an_archive_is_named_or_obvious() {
    let other = ReadOptions::default().array("other");
    assert_eq!(read(data("two.npz"), &other).unwrap().numbers("x1").unwrap(), [1.0, 1.0]);
    assert_eq!(
        refusal("neither.npz"),
        "error[E304]: neither.npz: there are 2 arrays and none is called \"features\"\n  \
         help: name the array to read: left, right"
    );
    let error = read(data("two.npz"), &ReadOptions::default().array("third")).unwrap_err();
    assert_eq!(error.problems()[0].code, Code::WhichArray);
    assert_eq!(error.problems()[0].message, "there is no array \"third\"");
}

#[test]
fn damaged_files_are_refused() {
    let whole = std::fs::read(data("f8.npy")).unwrap();
    let parse = |bytes: &[u8]| read_bytes("pool.npy", bytes, &ReadOptions::default()).map(|_: Table| ());
    let help = "\n  help: write the file again; it is damaged or not a NumPy file";
    for (length, message) in [
        (0, "the header is incomplete"),
        (100, "the header is incomplete"),
        (whole.len() - 1, "the data end after 5 of 6 numbers"),
    ] {
        assert_eq!(
            parse(&whole[..length]).unwrap_err().to_string(),
            format!("error[E303]: pool.npy: {message}{help}")
        );
    }
    assert!(parse(&whole).is_ok());
    for more in [&b"\0"[..], &[0; 8], &[0; 100_000]] {
        assert_eq!(
            parse(&[&whole, more].concat()).unwrap_err().to_string(),
            format!("error[E303]: pool.npy: bytes follow the 6 numbers of the array{help}")
        );
    }
    assert!(parse(b"id,x\na,1\n").unwrap_err().to_string().contains("this is not a NumPy array"));
    let error = read_bytes("pool.npz", &whole, &ReadOptions::default()).unwrap_err();
    assert_eq!(error.problems()[0].code, Code::Damaged);
}

#[test]
fn a_shape_beyond_all_memory_is_refused_and_nothing_is_reserved_for_it() {
    for shape in ["(4294967296, 4294967296)", "(1, 18446744073709551615)", "(18446744073709551615,)"] {
        for order in ["True", "False"] {
            let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': {shape}, }}\n");
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((header.len() as u16).to_le_bytes());
            bytes.extend(header.as_bytes());
            bytes.extend(1.0_f64.to_le_bytes());
            let error = read_bytes("pool.npy", &bytes, &ReadOptions::default()).unwrap_err();
            assert!(error.problems()[0].message.starts_with("the data end after 1 of "), "{error}");
        }
    }
}

#[test]
fn what_is_written_is_what_numpy_would_write() {
    let mut written = Vec::new();
    write_npy(&mut written, &Matrix::from_row_major(2, 3, A.to_vec())).unwrap();
    assert_eq!(written, std::fs::read(data("f8.npy")).unwrap());
    let error = write_npy(Vec::new(), &Matrix::from_rows(&[[1.0], [f64::NAN]])).unwrap_err();
    assert_eq!(error.to_string(), "row 1, column 0 of the table to write is not a finite number");
}

/// An array by rows is kept once, and means the same as its columns taken apart, whatever is asked of them.
#[test]
fn an_array_kept_as_it_is_means_the_same_as_its_columns() {
    let array = read(data("f8.npy"), &ReadOptions::default()).unwrap();
    let apart = array.columns().iter().map(|column| {
        let numbers = array.numbers(column.name()).unwrap();
        (column.name().to_owned(), ColumnData::Numbers(numbers.into()))
    });
    let apart = Table::from_columns(array.file(), apart).unwrap();
    assert_eq!(array.columns(), apart.columns());
    let names: Vec<String> = array.columns().iter().map(|column| column.name().to_owned()).collect();
    let plain = PoolOptions::default();
    let reversed: Vec<String> = names.iter().rev().cloned().collect();
    let every = [
        plain.clone(),
        plain.clone().standardize(true),
        plain.clone().features(reversed),
        plain.clone().features(names[1..].to_vec()),
        plain.clone().id("x0"),
        plain.clone().one_hot(OneHot::Columns(vec!["x1".to_owned()])),
        plain.clone().marker(Marker { text: "2".to_owned(), value: Some(7.0) }),
    ];
    for options in &every {
        let of = |table: &Table| PoolTable::from_table(table.clone(), options).unwrap();
        let (one, other) = (of(&array), of(&apart));
        assert_eq!((&one.ids, &one.features), (&other.ids, &other.features), "{options:?}");
        // Without a copy only where the features are the whole array.
        let again = one.encoding.features(&array).unwrap();
        let shared = std::ptr::eq(one.features.as_slice(), again.as_slice());
        assert_eq!(shared, *options == plain, "{options:?}");
    }
}
