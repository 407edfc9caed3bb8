//! Parquet into a [`Table`].

use std::fs::File;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatchReader};
use arrow_schema::DataType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::reader::ChunkReader;

use crate::code::Code;
use crate::column::{Column, ColumnData, TextColumn};
use crate::problem::{Problem, Problems, TableError};
use crate::read::{Dialect, ReadOptions, Source};
use crate::table::{Places, Table, missing_columns};

pub(crate) fn read(file: &str, source: Source<'_>, options: &ReadOptions) -> Result<Table, TableError> {
    // The decoder panics on some damaged files, for example when a column has a negative length.
    std::panic::catch_unwind(|| decode(file, source, options))
        .unwrap_or_else(|_| Err(damaged(file, "the file cannot be decoded").into()))
}

fn damaged(file: &str, message: impl Into<String>) -> Problem {
    Problem::new(Code::Damaged, file, message)
        .help("write the file again; it is damaged or not a Parquet file")
}

fn decode(file: &str, source: Source<'_>, options: &ReadOptions) -> Result<Table, TableError> {
    match source {
        Source::File(path) => {
            let input = File::open(path).map_err(|error| TableError::io(file, error))?;
            read_chunks(file, input, options)
        }
        Source::Bytes(bytes) => read_chunks(file, bytes::Bytes::copy_from_slice(bytes), options),
    }
}

fn read_chunks(
    file: &str,
    input: impl ChunkReader + 'static,
    options: &ReadOptions,
) -> Result<Table, TableError> {
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(input).map_err(|error| damaged(file, error.to_string()))?;
    let batches = reader.build().map_err(|error| damaged(file, error.to_string()))?;

    let mut problems = Problems::default();
    let mut columns = Vec::new();
    for field in batches.schema().fields() {
        if !is_supported(field.data_type()) {
            problems.add(|| {
                Problem::new(
                    Code::UnsupportedType,
                    file,
                    format!("the type {} is not supported", field.data_type()),
                )
                .column(field.name())
                .help("convert the column to numbers or text")
            });
        }
        let declared_text = options.text.iter().any(|name| name.trim() == field.name().trim());
        let data = if declared_text {
            ColumnData::Texts(TextColumn::default())
        } else {
            ColumnData::Numbers(Vec::new().into())
        };
        columns.push(Column { name: field.name().clone(), data, declared_text });
    }
    problems.finish()?;

    let mut rows = 0;
    for batch in batches {
        let batch = batch.map_err(|error| damaged(file, error.to_string()))?;
        for (column, array) in columns.iter_mut().zip(batch.columns()) {
            append(&mut column.data, array.as_ref());
        }
        rows += batch.num_rows();
    }
    let table =
        Table { file: file.to_owned(), columns, rows, places: Places::Rows, dialect: Dialect::default() };
    check_names(&table, options).map(|()| table)
}

fn check_names(table: &Table, options: &ReadOptions) -> Result<(), TableError> {
    let mut problems = Problems::default();
    let names: Vec<&str> = table.columns().iter().map(Column::name).collect();
    missing_columns(table.file(), &options.text, &names, &mut problems);
    for (at, column) in table.columns().iter().enumerate() {
        if column.name.trim().is_empty() {
            problems.add(|| {
                Problem::new(Code::NoHeader, table.file(), format!("column {} has no name", at + 1))
                    .help("name every column")
            });
        } else if table.position(&column.name) != Some(at) {
            problems.add(|| {
                Problem::new(Code::DuplicateHeader, table.file(), "two columns have the same name")
                    .column(&column.name)
                    .help("give each column its own name")
            });
        }
    }
    problems.finish()
}

fn is_supported(data_type: &DataType) -> bool {
    use DataType::{Boolean, Dictionary, Float32, Float64, LargeUtf8, Utf8, Utf8View};
    match data_type {
        Boolean | Float32 | Float64 | Utf8 | LargeUtf8 | Utf8View => true,
        Dictionary(_, values) => is_supported(values),
        other => other.is_integer(),
    }
}

/// Adds the cells of one batch; a null is an empty cell.
fn append(data: &mut ColumnData, array: &dyn Array) {
    match array.data_type() {
        DataType::Float64 => append_numbers::<Float64Type>(data, array, |x| x),
        DataType::Float32 => append_numbers::<Float32Type>(data, array, f64::from),
        DataType::Int8 => append_integers::<Int8Type>(data, array, f64::from),
        DataType::Int16 => append_integers::<Int16Type>(data, array, f64::from),
        DataType::Int32 => append_integers::<Int32Type>(data, array, f64::from),
        DataType::Int64 => append_integers::<Int64Type>(data, array, |n| n as f64),
        DataType::UInt8 => append_integers::<UInt8Type>(data, array, f64::from),
        DataType::UInt16 => append_integers::<UInt16Type>(data, array, f64::from),
        DataType::UInt32 => append_integers::<UInt32Type>(data, array, f64::from),
        DataType::UInt64 => append_integers::<UInt64Type>(data, array, |n| n as f64),
        DataType::Boolean => {
            for cell in array.as_boolean() {
                append_cell(data, cell.map(|is_true| f64::from(u8::from(is_true))));
            }
        }
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(|cell| data.push_text(cell.unwrap_or(""))),
        DataType::LargeUtf8 => {
            array.as_string::<i64>().iter().for_each(|cell| data.push_text(cell.unwrap_or("")))
        }
        DataType::Utf8View => {
            array.as_string_view().iter().for_each(|cell| data.push_text(cell.unwrap_or("")))
        }
        DataType::Dictionary(..) => append_dictionary(data, array),
        other => unreachable!("{other} was refused before"),
    }
}

fn append_numbers<T: ArrowPrimitiveType>(
    data: &mut ColumnData,
    array: &dyn Array,
    number: impl Fn(T::Native) -> f64,
) {
    for cell in array.as_primitive::<T>() {
        append_cell(data, cell.map(&number));
    }
}

/// Integers that are kept as text keep all their digits: an id may be larger than 2^53.
fn append_integers<T: ArrowPrimitiveType<Native: std::fmt::Display>>(
    data: &mut ColumnData,
    array: &dyn Array,
    number: impl Fn(T::Native) -> f64,
) {
    for cell in array.as_primitive::<T>() {
        match (cell, &data) {
            (Some(n), ColumnData::Texts(_)) => data.push_text(&n.to_string()),
            _ => append_cell(data, cell.map(&number)),
        }
    }
}

fn append_cell(data: &mut ColumnData, cell: Option<f64>) {
    match cell {
        Some(x) => data.push_number(x),
        None => data.push_text(""),
    }
}

fn append_dictionary(data: &mut ColumnData, array: &dyn Array) {
    let dictionary = array.as_any_dictionary();
    let keys = dictionary.normalized_keys();
    let mut values = ColumnData::Texts(TextColumn::default());
    append(&mut values, dictionary.values().as_ref());
    let ColumnData::Texts(values) = values else { unreachable!("text stays text") };
    for (row, key) in keys.into_iter().enumerate() {
        data.push_text(if array.is_null(row) { "" } else { values.get(key) });
    }
}
