//! The codes of refusals and warnings. A code never changes its meaning and is never used again.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($(#[$about:meta])* $name:ident { $($variant:ident = $text:literal: $meaning:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`: ", $meaning, ".")] $variant,)+
        }

        impl $name {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// What the code stands for, in a few words.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

codes! {
    /// Why a table was refused.
    Code {
        CannotRead = "E301": "the file cannot be read from disk",
        UnknownKind = "E302": "the file is not of a kind that this build reads",
        Damaged = "E303": "the file is damaged, or is not what its name says",
        WhichArray = "E304": "the array or the sheet to read is missing, or there are several to choose from",
        UnsupportedType = "E305": "an array or a column has a shape or a type that cannot be a table of numbers and text",
        EmptyCell = "E310": "a cell that must hold a value is empty",
        OtherNotation = "E311": "a number is written in a notation that would have to be guessed",
        NotFinite = "E312": "a number is not finite",
        NotANumber = "E313": "there is text where a number is needed",
        NoLogarithm = "E314": "a number on a log scale is not positive",
        DeclaredMissing = "E315": "a cell holds a marker that was declared to mean a missing value",
        UnknownLevel = "E316": "a category level does not occur in the pool",
        NotACount = "E317": "a number that counts is not whole, or negative",
        NoHeader = "E320": "the header line is missing or a column has no name",
        DuplicateHeader = "E321": "two columns have the same name",
        RaggedRow = "E322": "a row does not have as many cells as the header",
        NotUtf8 = "E323": "a cell is not UTF-8 text",
        NulByte = "E324": "a cell contains a NUL byte",
        BadQuote = "E325": "a quoted cell is not closed, or has text after its closing quote",
        LoneCarriageReturn = "E326": "a line contains a carriage return without a line feed",
        NoRows = "E330": "the pool has no candidates",
        NoFeatures = "E331": "the pool has no feature column, or lists factors and their ranges",
        DuplicateId = "E332": "two candidates have the same id",
        NoSuchColumn = "E333": "a column that was asked for does not exist",
        RoleConflict = "E334": "a column was given two roles that exclude each other",
        TooManyLevels = "E335": "a column has too many different values to be encoded as a category",
        UnknownId = "E336": "an id is not that of a candidate of the pool",
        UnknownSlot = "E337": "a result names a slot that was never asked",
        DuplicateSlot = "E338": "two results name the same slot",
        WrongCandidate = "E339": "a result names a slot and the id of another candidate",
        TooManyResults = "E340": "a candidate has more results than the plan asks for",
        BadStatus = "E341": "a status is unknown, or contradicts the outcome",
        Conflict = "E342": "a slot has another outcome already",
        TooLate = "E343": "the round of a slot was closed without its outcome",
        BadError = "E344": "a standard error is not positive, or belongs to no single outcome",
    }
}

codes! {
    /// What was noticed about a pool that was accepted.
    WarningCode {
        IdenticalFeatures = "W301": "candidates with different ids have identical features",
        ConstantColumns = "W302": "a feature column has the same value in every row",
        ScalesDiffer = "W303": "the scales of the feature columns differ by more than a factor 1e6",
        TextLeftOut = "W304": "text columns are not used as features",
        IdAsFeature = "W305": "a column that looks like an id is used as a feature",
        UnitsInCells = "W306": "the cells of a column are numbers with a unit",
        OutcomesInPool = "W307": "the half-filled outcome column of the pool has numbers that are not used",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_in_order() {
        assert!(Code::ALL.windows(2).all(|pair| pair[0].as_str() < pair[1].as_str()));
        assert!(WarningCode::ALL.windows(2).all(|pair| pair[0].as_str() < pair[1].as_str()));
        assert_eq!(Code::NotFinite.to_string(), "E312");
    }
}
