//! Suggestions as options of the command line.

use elfving::estimate::Tails;
use elfving::pool::KernelSpec;
use elfving_problem::diagnosis::Suggestion;
use elfving_table::LogBase;

/// A suggestion as the option that follows it.
pub(super) fn of(suggestion: &Suggestion) -> String {
    match suggestion {
        Suggestion::OneHot { columns } => format!("--one-hot={}", quoted(columns)),
        Suggestion::Features { columns } => format!("--features {}", quoted(columns)),
        Suggestion::Log { columns } => {
            let base = |base: &LogBase| match base {
                LogBase::Two => "=2",
                LogBase::E => "=e",
                LogBase::Ten => "",
            };
            let columns: Vec<String> =
                columns.iter().map(|(name, of)| format!("{name}{}", base(of))).collect();
            format!("--log {}", quoted(&columns))
        }
        Suggestion::Standardize => "--standardize".to_owned(),
        Suggestion::Gamma { value } => format!("--gamma {value:.0e}"),
        Suggestion::Kernel { of } => kernel(of),
        Suggestion::Norm { value } => format!("--norm {value}"),
        Suggestion::Bound { value } => format!("--bound {value}"),
        Suggestion::Sigma { value } => format!("--sigma {value}"),
        Suggestion::Noise { tails: Tails::SubGaussian } => "--noise sub-gaussian".to_owned(),
        Suggestion::Noise { tails: Tails::BoundedVariance } => "--noise bounded-variance".to_owned(),
        other => format!("{other:?}"),
    }
}

fn kernel(of: &KernelSpec) -> String {
    let (name, lengthscale) = match of {
        KernelSpec::Linear => return "--kernel linear".to_owned(),
        KernelSpec::Smooth => return "--kernel smooth".to_owned(),
        KernelSpec::Rbf { lengthscale } => ("rbf", lengthscale),
        KernelSpec::Matern32 { lengthscale } => ("matern32", lengthscale),
        KernelSpec::Matern52 { lengthscale } => ("matern52", lengthscale),
        other => return format!("--kernel {other}"),
    };
    let values: Vec<String> = lengthscale.values().iter().map(f64::to_string).collect();
    format!("--kernel {name} --lengthscale {}", values.join(","))
}

/// Names for a shell.
fn quoted(names: &[String]) -> String {
    let joined = names.join(",");
    let plain = joined.chars().all(|c| c.is_alphanumeric() || "_,-=.".contains(c));
    if plain { joined } else { format!("'{joined}'") }
}
