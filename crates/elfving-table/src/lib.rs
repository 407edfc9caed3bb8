//! Tables in and out of Elfving, so that the library itself does no input or output.
//!
//! [`read`] takes a file as a user has it (CSV saved by a spreadsheet, `.xlsx`, `.npy`, `.npz`, `.parquet`) and gives a
//! [`Table`] that keeps every column. [`PoolTable::from_table`], or both steps in one with [`read_pool`],
//! chooses ids and features. What cannot be understood is refused, never guessed: a [`TableError`] lists every
//! problem with file, line, column and a [`Hint`], under a [`Code`] that never changes its meaning. What is
//! accepted but worth knowing comes back as [`Warning`]s; nothing is printed here. Hints name no option of any program:
//! [`TableError::render`] and [`Warning::render`] take the words of the shell that prints them.
//!
//! [`CsvWriter`] and [`write_npy`] write tables that spreadsheets and NumPy open without surprises; [`LabSheet`] writes
//! the measurements to make, in run order. [`check_output`] says what an output may replace.
//!
//! ```
//! use elfving_table::{OneHot, PoolOptions, PoolTable, ReadOptions, read_bytes};
//!
//! let csv = b"\xef\xbb\xbfid,ligand,time (min)\r\na,XPhos,5\r\nb,PPh3,10\r\n";
//! let table = read_bytes("pool.csv", csv, &ReadOptions::default())?;
//! let pool = PoolTable::from_table(table, &PoolOptions::default().id("id").one_hot(OneHot::AllText))?;
//! assert_eq!(pool.feature_names, ["ligand=PPh3", "ligand=XPhos", "time (min)"]);
//! assert_eq!(pool.features.row(0), [0.0, 1.0, 5.0]);
//!
//! let csv = b"id,time (min)\na,5\nb,NaN\n";
//! let table = read_bytes("pool.csv", csv, &ReadOptions::default())?;
//! let refusal = PoolTable::from_table(table, &PoolOptions::default().id("id")).unwrap_err();
//! assert!(refusal.to_string().starts_with(
//!     "error[E312]: pool.csv:3: column \"time (min)\": \"NaN\" is not a finite number\n  help: "
//! ));
//! # Ok::<(), elfving_table::TableError>(())
//! ```

mod code;
mod column;
mod condition;
mod counts;
mod csv_read;
mod encoding;
mod hint;
mod lab_sheet;
mod marker;
mod notice;
mod npy;
mod number;
mod output;
#[cfg(feature = "parquet")]
mod parquet_read;
mod plate;
mod pool;
mod problem;
mod read;
mod records;
mod roles;
mod signature;
mod table;
mod warning;
mod write;
mod xlsx_read;

pub use code::{Code, WarningCode};
pub use column::{Column, ColumnData, Numbers, TextColumn};
pub use condition::Condition;
pub use elfving::text::nearest;
pub use encoding::{Encoded, EncodedColumn, Encoding, FeatureMap, LogBase, Standard};
pub use hint::Hint;
pub use lab_sheet::{LabSheet, SheetLine, slot_index, slot_name};
pub use marker::Marker;
pub use npy::write_npy;
pub use number::Decimal;
pub use output::{CAMPAIGN_APPLICATION_ID, CAMPAIGN_EXTENSION, OutputKind, OutputRefused, check_output};
pub use plate::Plate;
pub use pool::{OneHot, PoolOptions, PoolTable, read_pool};
pub use problem::{LISTED, Place, Problem, Problems, TableError};
pub use read::{Delimiter, Dialect, ReadOptions, read, read_bytes};
pub use roles::TextLook;
pub use signature::stdin_name;
pub use table::Table;
pub use warning::{Notice, Warning};
pub use write::{Cell, CsvWriter, WriteError};
