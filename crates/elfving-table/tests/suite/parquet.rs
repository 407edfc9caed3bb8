//! Parquet files, against files that PyArrow wrote (`data/make.py`). Needs the feature `parquet`.
#![cfg(feature = "parquet")]

use std::path::{Path, PathBuf};

use elfving_table::{Code, OneHot, PoolOptions, ReadOptions, read, read_bytes, read_pool};
use proptest::prelude::*;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

#[test]
fn columns_of_numbers_and_text_are_read_with_every_compression() {
    for compression in ["snappy", "zstd", "gzip", "lz4", "none"] {
        let path = data(&format!("pool_{compression}.parquet"));
        let options =
            PoolOptions::default().id("id").features(["ligand", "x", "y32", "flag"]).one_hot(OneHot::AllText);
        let pool = read_pool(path, &ReadOptions::default(), &options).unwrap();
        // The first id is larger than any integer that an f64 holds exactly.
        assert_eq!(pool.ids, ["9007199254740993", "2", "3"]);
        assert_eq!(pool.feature_names, ["ligand=PPh3", "ligand=XPhos", "x", "y32", "flag"]);
        assert_eq!(pool.features.row(0), [0.0, 1.0, 0.5, 0.25, 1.0]);
        assert_eq!(pool.features.row(1), [1.0, 0.0, 1.5, 1.0, 0.0]);
        assert_eq!(pool.table.texts("note").unwrap(), ["a", "", "=c"]);
    }
}

#[test]
fn nulls_and_nan_are_refused_with_row_and_column() {
    let path = data("pool_none.parquet");
    let error = read_pool(&path, &ReadOptions::default(), &PoolOptions::default().id("id")).unwrap_err();
    let text = error.to_string().replace(&path.display().to_string(), "pool.parquet");
    assert!(
        text.starts_with(
            "error[E310]: pool.parquet: row 1: column \"holes\": the cell is empty\n\
             error[E312]: pool.parquet: row 2: column \"holes\": \"NaN\" is not a finite number\n  help: "
        ),
        "{text}"
    );
}

#[test]
fn other_types_and_damaged_files_are_refused() {
    let error = read(data("when.parquet"), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.problems()[0].code, Code::UnsupportedType);
    assert_eq!(error.problems()[0].column.as_deref(), Some("when"));
    let bytes = std::fs::read(data("pool_none.parquet")).unwrap();
    let error = read_bytes("pool.parquet", &bytes[..bytes.len() - 3], &ReadOptions::default()).unwrap_err();
    assert_eq!(error.problems()[0].code, Code::Damaged);
    let error = read_bytes("pool.parquet", &bytes, &ReadOptions::default().text("missing")).unwrap_err();
    assert_eq!(error.problems()[0].code, Code::NoSuchColumn);
}

proptest! {
    #[test]
    fn damaged_files_never_panic(
        name in prop::sample::select(&["pool_none.parquet", "pool_snappy.parquet", "pool_zstd.parquet", "when.parquet"][..]),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = std::fs::read(data(name)).unwrap();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = read_bytes("pool.parquet", &bytes, &ReadOptions::default());
    }
}
