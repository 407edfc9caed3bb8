//! What every failure is called: the same code in every shell. A code never changes its meaning.

use elfving::bandit::BanditError;
use elfving::design::DesignError;
use elfving::estimate::EstimateError;
use elfving::pool::PoolError;
use elfving::units::{ErrorKind, InvalidValue};

/// The code of a kind of error, where a variant has none of its own.
pub fn code_of(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Usage => "E201",
        ErrorKind::FileExists => "E210",
        ErrorKind::MissingFile => "E301",
        ErrorKind::UnknownSlot => "E337",
        ErrorKind::Conflict => "E342",
        ErrorKind::Data => "E354",
        ErrorKind::Damaged => "E402",
        ErrorKind::Durability => "E502",
        ErrorKind::Locked => "E601",
        ErrorKind::NotIdentifiable => "E701",
        ErrorKind::NotPositiveSemidefinite => "E705",
        ErrorKind::TooFewSamples => "E707",
        ErrorKind::RoundIncomplete => "E801",
        ErrorKind::Budget => "E802",
        ErrorKind::Decision => "E803",
        ErrorKind::Newer => "E901",
        _ => "E703",
    }
}

/// The code of a value outside its domain.
pub fn code_of_value(error: &InvalidValue) -> &'static str {
    match error.kind() {
        // Weights come from files, never from the command line.
        ErrorKind::Data => "E352",
        kind => code_of(kind),
    }
}

/// The code of an error of a pool.
pub fn code_of_pool(error: &PoolError) -> &'static str {
    match error {
        PoolError::Invalid(error) => code_of_value(error),
        PoolError::LengthscaleCount { .. } => "E206",
        PoolError::UnknownChoice { .. }
        | PoolError::Coefficient { .. }
        | PoolError::EmptyCombination { .. }
        | PoolError::NoTargets
        | PoolError::NoPairs { .. } => "E203",
        PoolError::DirectionsNeedFeatures => "E202",
        PoolError::NotSquare { .. } | PoolError::MeasurableCount { .. } => "E353",
        PoolError::NotSymmetric { .. } => "E704",
        error => code_of(error.kind()),
    }
}

/// The code of an error of a design.
pub fn code_of_design(error: &DesignError) -> &'static str {
    match error {
        DesignError::Pool(error) => code_of_pool(error),
        DesignError::Invalid(error) => code_of_value(error),
        DesignError::OneTarget { .. } => "E205",
        DesignError::Unsupported { .. } => "E207",
        DesignError::Singular { .. } => "E702",
        DesignError::NothingToMeasure => "E706",
        DesignError::UnknownPoint { .. } | DesignError::UnknownTarget { .. } => "E352",
        error => code_of(error.kind()),
    }
}

/// The code of an error of an estimate.
pub fn code_of_estimate(error: &EstimateError) -> &'static str {
    match error {
        EstimateError::Pool(error) => code_of_pool(error),
        EstimateError::Invalid(error) => code_of_value(error),
        EstimateError::NeedsBound { .. } => "E202",
        EstimateError::NothingMeasured => "E706",
        error => code_of(error.kind()),
    }
}

/// The code of an error of an algorithm.
pub fn code_of_bandit(error: &BanditError) -> &'static str {
    match error {
        BanditError::Invalid(error) => code_of_value(error),
        BanditError::Pool(error) => code_of_pool(error),
        BanditError::Design(error) => code_of_design(error),
        BanditError::Estimate(error) => code_of_estimate(error),
        BanditError::OtherGoal { .. }
        | BanditError::NeedsAssumption { .. }
        | BanditError::ChoicesNotMeasurable { .. } => "E202",
        error => code_of(error.kind()),
    }
}
