//! The library's names as values of an option.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use elfving::named::Named;

/// One of an enum of the library, by name, with what each is.
pub(crate) fn named<T: Named>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(values::<T>()).map(|name| T::named(&name).expect("one of the values"))
}

/// A name of the library, or one word that stands for something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameOr<T> {
    Name(T),
    Word,
}

impl<T: Named> NameOr<T> {
    pub(crate) fn name(self) -> Option<T> {
        match self {
            Self::Name(one) => Some(one),
            Self::Word => None,
        }
    }
}

/// As [`named`], or this word.
pub(crate) fn named_or<T: Named>(
    word: &'static str,
    about: &'static str,
) -> impl TypedValueParser<Value = NameOr<T>> {
    let values = values::<T>().into_iter().chain([PossibleValue::new(word).help(about)]);
    PossibleValuesParser::new(values).map(|name| T::named(&name).map_or(NameOr::Word, NameOr::Name))
}

fn values<T: Named>() -> Vec<PossibleValue> {
    T::all().into_iter().map(|one| PossibleValue::new(one.name()).help(one.about())).collect()
}
