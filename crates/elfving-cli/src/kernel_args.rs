//! The kernel on the command line, and what it becomes.

use std::path::PathBuf;

use clap::Args;
use elfving::pool::{KernelSpec, Lengthscale};
use elfving_problem::KernelName;

use crate::error::CliError;
use crate::named::named;

/// The kernel and its parameters.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Kernel")]
pub(crate) struct KernelArgs {
    /// The kernel: how similar two candidates are (default: linear, the features as they are; a certified campaign takes smooth)
    #[arg(long, value_parser = named::<KernelName>())]
    pub(crate) kernel: Option<KernelName>,
    /// Length scale: one number, one per feature (L1,L2,..), or `median` (the default), the median distance between
    /// candidates. RBF is exp(-|x-y|^2 / (2 L^2))
    #[arg(long, value_name = "L", value_parser = lengthscale, allow_hyphen_values = true)]
    pub(crate) lengthscale: Option<Lengthscale>,
    /// The mixture parameter of rational-quadratic (default: 1)
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    pub(crate) alpha: Option<f64>,
    /// The degree of the polynomial kernel (default: 2)
    #[arg(long, value_name = "P")]
    pub(crate) degree: Option<u32>,
    /// The offset of the polynomial kernel (default: 1)
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    pub(crate) offset: Option<f64>,
    /// The period of the periodic kernel, in the unit of the features
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    pub(crate) period: Option<f64>,
    /// A kernel matrix in a file (.npy): one row and column per candidate, then per target
    #[arg(long, value_name = "FILE")]
    pub(crate) gram: Option<PathBuf>,
    /// The part of the kernel that its factorisation may leave out, relative to the largest value (default: chosen from
    /// gamma and the tolerance)
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) residual: Option<f64>,
}

/// `median`, `0.5`, or `0.1,2,0.7`.
fn lengthscale(text: &str) -> Result<Lengthscale, String> {
    if text == "median" {
        return Ok(Lengthscale::Median);
    }
    let number = |part: &str| part.trim().parse::<f64>().map_err(|_| format!("{part:?} is not a number"));
    let mut numbers = text.split(',').map(number).collect::<Result<Vec<f64>, String>>()?;
    Ok(match numbers.len() {
        1 => Lengthscale::Shared(numbers.remove(0)),
        _ => Lengthscale::PerFeature(numbers),
    })
}

impl KernelArgs {
    pub(crate) fn name(&self) -> KernelName {
        let of_file = if self.gram.is_some() { KernelName::Gram } else { KernelName::Linear };
        self.kernel.unwrap_or(of_file)
    }

    pub(crate) fn is_linear(&self) -> bool {
        self.name() == KernelName::Linear
    }

    /// Refuses parameters the kernel does not have, rather than ignoring them.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        let name = self.name();
        let gram = name == KernelName::Gram;
        if gram && self.gram.is_none() {
            let help = "give it with --gram K.npy";
            return Err(CliError::usage("E202", "--kernel gram needs a kernel matrix", help));
        }
        let has_lengthscale = !matches!(
            name,
            KernelName::Linear | KernelName::Smooth | KernelName::Polynomial | KernelName::Gram
        );
        let polynomial = name == KernelName::Polynomial;
        let parameters = [
            ("--gram", self.gram.is_some(), gram),
            ("--lengthscale", self.lengthscale.is_some(), has_lengthscale),
            ("--alpha", self.alpha.is_some(), name == KernelName::RationalQuadratic),
            ("--degree", self.degree.is_some(), polynomial),
            ("--offset", self.offset.is_some(), polynomial),
            ("--period", self.period.is_some(), name == KernelName::Periodic),
            ("--residual", self.residual.is_some(), name != KernelName::Linear),
        ];
        if let Some((option, ..)) = parameters.iter().find(|(_, given, known)| *given && !known) {
            let message = format!("{option} does not apply to kernel {name}");
            return Err(CliError::usage("E202", message, "leave it out, or choose another --kernel"));
        }
        if name == KernelName::Periodic && self.period.is_none() {
            return Err(CliError::usage(
                "E202",
                "the periodic kernel needs --period",
                "in the unit of the features",
            ));
        }
        if name == KernelName::Periodic && self.lengthscale == Some(Lengthscale::Median) {
            let message = "the length scale of the periodic kernel is relative to its period, not a distance";
            return Err(CliError::usage("E202", message, "give a number, 1 for example"));
        }
        Ok(())
    }

    /// The kernel as it is asked for; none for the features as they are and for a matrix in a file.
    pub(crate) fn spec(&self) -> Option<KernelSpec> {
        let lengthscale = self.lengthscale.clone().unwrap_or_default();
        Some(match self.name() {
            KernelName::Gram => return None,
            KernelName::Linear => return self.kernel.map(|_| KernelSpec::Linear),
            KernelName::Smooth => KernelSpec::Smooth,
            KernelName::Rbf => KernelSpec::Rbf { lengthscale },
            KernelName::Matern12 => KernelSpec::Matern12 { lengthscale },
            KernelName::Matern32 => KernelSpec::Matern32 { lengthscale },
            KernelName::Matern52 => KernelSpec::Matern52 { lengthscale },
            KernelName::RationalQuadratic => {
                KernelSpec::RationalQuadratic { lengthscale, alpha: self.alpha.unwrap_or(1.0) }
            }
            KernelName::Periodic => KernelSpec::Periodic {
                lengthscale,
                period: self.period.expect("`check` asks for the period"),
            },
            KernelName::Polynomial => KernelSpec::Polynomial {
                degree: self.degree.unwrap_or(2),
                offset: self.offset.unwrap_or(1.0),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lengthscale_is_a_word_a_number_or_a_list() {
        assert_eq!(lengthscale("median"), Ok(Lengthscale::Median));
        assert_eq!(lengthscale("0.025"), Ok(Lengthscale::Shared(0.025)));
        assert_eq!(lengthscale("0.1, 2,0.7"), Ok(Lengthscale::PerFeature(vec![0.1, 2.0, 0.7])));
        assert!(lengthscale("0.1,x").is_err());
    }

    #[test]
    fn a_parameter_that_means_nothing_is_refused() {
        let args = KernelArgs { kernel: Some(KernelName::Rbf), alpha: Some(2.0), ..KernelArgs::default() };
        let text = args.check().unwrap_err().to_string();
        assert!(text.starts_with("error[E202]: --alpha does not apply to kernel rbf"), "{text}");
        assert!(KernelArgs { kernel: Some(KernelName::Periodic), ..KernelArgs::default() }.check().is_err());
        assert!(KernelArgs { kernel: Some(KernelName::Gram), ..KernelArgs::default() }.check().is_err());
    }
}
