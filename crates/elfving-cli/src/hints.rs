//! The hints of refused tables in the words of the command line.

use elfving_table::{Decimal, Hint};

/// A hint with the options that follow it.
pub(crate) fn words(hint: &Hint) -> String {
    match hint {
        Hint::Text(_) | Hint::LeaveCellEmpty | Hint::WithoutUnit { .. } => hint.to_string(),
        Hint::Decimal { mark: Decimal::Point } => {
            "write numbers like 1234.5; if the file has decimal commas, use --decimal ,".to_owned()
        }
        Hint::Decimal { mark: Decimal::Comma } => "with --decimal , write numbers like 1234,5".to_owned(),
        Hint::QuoteCommas => "put a cell that contains a comma in quotes; \
                              for decimal commas, put ; between cells and use --decimal ,"
            .to_owned(),
        Hint::DeclareText => {
            "correct the cell, declare which number the text stands for (--marker \"n.d.=0\"), \
                              or encode the column as a category (--one-hot)"
                .to_owned()
        }
        Hint::CompleteFeature => {
            "a feature must be known for every candidate: correct the cell, remove the row, \
                                  or leave the column out with --features or --ignore"
                .to_owned()
        }
        Hint::NeedFeatures => "a feature is a numeric column that is neither --id nor --ignore; \
                               --one-hot encodes text columns as categories"
            .to_owned(),
        Hint::CheckRoles => "check --id, --ignore, --features, --one-hot, --categorical and --log".to_owned(),
        Hint::OneHot { column } => {
            format!(
                "encode it as a category with --one-hot={}, or take it out of --features",
                argument(column)
            )
        }
        Hint::EncodeText => {
            "--categorical A,B takes these columns as categories, --one-hot all text columns".to_owned()
        }
        Hint::LeaveOut { column } => {
            format!("leave it out with --ignore {}; it may be an id or a comment", argument(column))
        }
        Hint::NameTheId { column } => format!("if it names the candidates, use --id {}", argument(column)),
        Hint::Standardize => {
            "nothing was rescaled; --standardize brings every column to mean 0 and deviation 1".to_owned()
        }
        Hint::ChooseArray { arrays } => format!("choose one with --array: {}", arrays.join(", ")),
        Hint::ChooseSheet { sheets } => format!("choose one with --sheet: {}", sheets.join(", ")),
        Hint::GiveTargets => "give at least one row, or leave out --targets".to_owned(),
        Hint::MarkFailed => "for a failed run leave the cell empty and set status=failed, \
                             or declare what the text means with --marker \"n.d.=failed\""
            .to_owned(),
        Hint::OneLinePerSlot => "keep the line that is right; repeats of a slot go into one cell (0.5;0.6), \
                                 or need --repeated-slots"
            .to_owned(),
        Hint::CorrectOutcome => {
            "remove the line, or replace the outcome with --correct --reason \"why\"".to_owned()
        }
        Hint::UseMeasured { file } => {
            format!("pass --measured {} to use them as earlier measurements", argument(file))
        }
        Hint::AskFirst => "no slot was handed out yet: `elfving ask` does it".to_owned(),
        other => other.to_string(),
    }
}

/// A column as it is typed: in quotes where a shell would take it apart.
fn argument(column: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '=' | '/');
    if column.chars().all(is_plain) { column.to_owned() } else { format!("{column:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_hint_has_words_of_the_command_line() {
        for hint in Hint::examples() {
            let names_an_option = words(&hint).contains("--") || words(&hint).contains("`elfving ");
            let needs_none = matches!(hint, Hint::Text(_) | Hint::LeaveCellEmpty | Hint::WithoutUnit { .. });
            assert_eq!(names_an_option, !needs_none, "{hint:?}: {}", words(&hint));
        }
    }

    #[test]
    fn every_option_that_a_hint_names_exists() {
        let program = crate::args::Cli::command();
        let known: Vec<&str> = program
            .get_subcommands()
            .flat_map(|command| command.get_arguments().filter_map(|argument| argument.get_long()))
            .collect();
        for hint in Hint::examples() {
            for option in words(&hint).split("--").skip(1) {
                let name =
                    option.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').next().unwrap_or("");
                assert!(known.contains(&name), "--{name} of {hint:?}");
            }
        }
    }

    #[test]
    fn a_column_is_quoted_where_a_shell_would_take_it_apart() {
        assert_eq!(
            words(&Hint::NameTheId { column: "id".into() }),
            "if it names the candidates, use --id id"
        );
        let hint = Hint::NameTheId { column: "my id".into() };
        assert_eq!(words(&hint), "if it names the candidates, use --id \"my id\"");
    }
}
