//! Enums that users choose from by name: one idiom for the library, the program and Python.

use std::fmt;

/// Something that has a name, one of a list.
///
/// [`named_enum!`](crate::named_enum) makes such an enum.
///
/// ```
/// use elfving::design::Criterion;
/// assert_eq!(Criterion::Xy.name(), "xy");
/// assert_eq!("xy".parse(), Ok(Criterion::Xy));
/// let unknown = "q".parse::<Criterion>().unwrap_err();
/// assert_eq!(unknown.to_string(), "there is no criterion \"q\"; choose from g, xy, d, a, v, c");
/// ```
pub trait Named: Copy + Send + Sync + 'static {
    /// What it is one of, in the singular.
    const KIND: &'static str;

    /// All of them, in the order of the documentation.
    fn all() -> Vec<Self>;

    /// Its name: on the command line, in Python, in documents.
    fn name(self) -> &'static str;

    /// What it is, in a line.
    fn about(self) -> &'static str;

    /// The one of this name.
    ///
    /// # Errors
    /// [`UnknownName`] lists the names there are.
    fn named(name: &str) -> Result<Self, UnknownName> {
        let all = Self::all();
        all.iter().copied().find(|one| one.name() == name).ok_or_else(|| UnknownName {
            kind: Self::KIND,
            got: name.to_owned(),
            names: all.iter().map(|one| one.name()).collect(),
        })
    }
}

/// Nothing has this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// What was asked for, in the singular.
    pub kind: &'static str,
    /// The name given.
    pub got: String,
    /// The names there are.
    pub names: Vec<&'static str>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, got, names } = self;
        write!(f, "there is no {kind} {got:?}; choose from {}", names.join(", "))
    }
}

impl std::error::Error for UnknownName {}

/// An enum of named variants: `Variant = "name": "what it is, in a line"`.
///
/// It gets `ALL`, `name`, `about`, [`Named`], `Display` and `FromStr` by name, and serde by name.
#[doc(hidden)]
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$about:meta])*
        $visible:vis enum $kind:ident: $called:literal {
            $($(#[$about_one:meta])* $variant:ident = $name:literal: $line:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        $visible enum $kind {
            $($(#[$about_one])* #[serde(rename = $name)] $variant,)+
        }

        impl $kind {
            /// All of them, in the order of the documentation.
            $visible const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name: on the command line, in Python, in documents.
            $visible const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// What it is, in a line.
            $visible const fn about(self) -> &'static str {
                match self { $(Self::$variant => $line,)+ }
            }
        }

        impl $crate::named::Named for $kind {
            const KIND: &'static str = $called;

            fn all() -> Vec<Self> {
                Self::ALL.to_vec()
            }

            fn name(self) -> &'static str {
                self.name()
            }

            fn about(self) -> &'static str {
                self.about()
            }
        }

        $crate::named_by_name!($kind);
    };
}

/// `Display` and `FromStr` of a [`Named`] type.
#[doc(hidden)]
#[macro_export]
macro_rules! named_by_name {
    ($kind:ty) => {
        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::named::Named::name(*self))
            }
        }

        impl std::str::FromStr for $kind {
            type Err = $crate::named::UnknownName;

            fn from_str(name: &str) -> Result<Self, $crate::named::UnknownName> {
                <Self as $crate::named::Named>::named(name)
            }
        }
    };
}

pub use {named_by_name, named_enum};
