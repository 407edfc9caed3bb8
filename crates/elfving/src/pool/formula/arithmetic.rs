//! Arithmetic on columns: what stands in `I( )` and in functions.

/// A number made of columns.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Arithmetic {
    Constant(f64),
    Column(String),
    Negative(Box<Arithmetic>),
    Pair(Operation, Box<Arithmetic>, Box<Arithmetic>),
    Function(Function, Box<Arithmetic>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Plus,
    Minus,
    Times,
    Over,
    Power,
}

/// The functions that R, patsy and formulaic know under these names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Log,
    Log2,
    Log10,
    Exp,
    Sqrt,
    Abs,
}

impl Function {
    pub(super) const ALL: [(&'static str, Self); 6] = [
        ("log", Self::Log),
        ("log2", Self::Log2),
        ("log10", Self::Log10),
        ("exp", Self::Exp),
        ("sqrt", Self::Sqrt),
        ("abs", Self::Abs),
    ];

    pub(super) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, function)| function)
    }

    fn at(self, x: f64) -> f64 {
        match self {
            Self::Log => x.ln(),
            Self::Log2 => x.log2(),
            Self::Log10 => x.log10(),
            Self::Exp => x.exp(),
            Self::Sqrt => x.sqrt(),
            Self::Abs => x.abs(),
        }
    }
}

impl Arithmetic {
    /// The columns it names, each once, in order.
    pub(super) fn columns(&self) -> Vec<&str> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::Constant(_) => {}
            Self::Column(name) => {
                if !found.contains(&name.as_str()) {
                    found.push(name);
                }
            }
            Self::Negative(of) | Self::Function(_, of) => of.collect(found),
            Self::Pair(_, left, right) => {
                left.collect(found);
                right.collect(found);
            }
        }
    }

    /// The number, given those of the columns; NaN or infinite where there is none.
    pub(super) fn at(&self, column: &dyn Fn(&str) -> f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Column(name) => column(name),
            Self::Negative(of) => -of.at(column),
            Self::Function(function, of) => function.at(of.at(column)),
            Self::Pair(operation, left, right) => {
                let (left, right) = (left.at(column), right.at(column));
                match operation {
                    Operation::Plus => left + right,
                    Operation::Minus => left - right,
                    Operation::Times => left * right,
                    Operation::Over => left / right,
                    Operation::Power => power(left, right),
                }
            }
        }
    }
}

/// Whole powers by products, so that `I(a^2)` is exactly `a*a`.
fn power(base: f64, exponent: f64) -> f64 {
    match exponent.fract() == 0.0 && exponent.abs() <= 64.0 {
        true => base.powi(exponent as i32),
        false => base.powf(exponent),
    }
}
