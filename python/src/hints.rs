//! The hints of refused tables in the words of Python: keywords of `Pool`, `Campaign.create` and `Campaign.tell`.

use elfving_table::{Decimal, Hint};
use pyo3::prelude::*;

/// A hint with the keywords that follow it.
pub(crate) fn words(hint: &Hint) -> String {
    match hint {
        Hint::Text(_) => hint.to_string(),
        Hint::WithoutUnit { number } => {
            format!("write the number alone: {number}; put the unit into the name of the column")
        }
        Hint::Decimal { mark: Decimal::Point } => {
            "write numbers like 1234.5; if the file has decimal commas, give decimal=\",\"".to_owned()
        }
        Hint::Decimal { mark: Decimal::Comma } => "with decimal=\",\" write numbers like 1234,5".to_owned(),
        Hint::QuoteCommas => "put a cell that contains a comma in quotes; \
                              for decimal commas, put ; between cells and give decimal=\",\""
            .to_owned(),
        Hint::DeclareText => {
            "correct the cell, declare which number the text stands for (marker={\"n.d.\": 0}), \
                              or encode the column as a category (one_hot=True)"
                .to_owned()
        }
        Hint::CompleteFeature => {
            "a feature must be known for every candidate: correct the cell, remove the row, \
                                  or leave the column out with features= or outcome="
                .to_owned()
        }
        Hint::NeedFeatures => "a feature is a numeric column that is neither id= nor outcome=; \
                               one_hot=True encodes text columns as categories"
            .to_owned(),
        Hint::CheckRoles => "check id=, outcome=, features=, one_hot=, categorical= and log=".to_owned(),
        Hint::OneHot { column } => {
            format!("encode it as a category with one_hot=[{column:?}], or take it out of features=")
        }
        Hint::EncodeText => {
            "categorical=[...] takes these columns as categories, one_hot=True all text columns".to_owned()
        }
        Hint::LeaveOut { column } => {
            format!("leave it out with outcome=[{column:?}]; it may be an id or a comment")
        }
        Hint::NameTheId { column } => format!("if it names the candidates, give id={column:?}"),
        Hint::Standardize => {
            "nothing was rescaled; standardize=True brings every column to mean 0 and deviation 1".to_owned()
        }
        Hint::ChooseArray { arrays } => format!("choose one with array=: {}", arrays.join(", ")),
        Hint::ChooseSheet { sheets } => format!("choose one with sheet=: {}", sheets.join(", ")),
        Hint::GiveTargets => "give at least one row, or leave out targets=".to_owned(),
        Hint::LeaveCellEmpty => {
            "for a failed run leave the cell empty and put \"failed\" in a column \"status\"".to_owned()
        }
        Hint::MarkFailed => {
            "for a failed run leave the cell empty and put \"failed\" in a column \"status\", \
                             or declare what the text means with marker={\"n.d.\": \"failed\"}"
                .to_owned()
        }
        Hint::OneLinePerSlot => "keep the line that is right; repeats of a slot go into one cell (0.5;0.6), \
                                 or need repeated_slots=True"
            .to_owned(),
        Hint::CorrectOutcome => "remove the line, or replace the outcome with correct=\"why\"".to_owned(),
        Hint::UseMeasured { .. } => {
            "give the same table as measured= to use them as earlier measurements".to_owned()
        }
        Hint::AskFirst => "no slot was handed out yet: call ask()".to_owned(),
        other => other.to_string(),
    }
}

/// Every hint in neutral words and in those of Python, so that the tests can see that none is forgotten.
#[pyfunction]
pub(crate) fn hints() -> Vec<(String, String)> {
    Hint::examples().iter().map(|hint| (hint.to_string(), words(hint))).collect()
}
