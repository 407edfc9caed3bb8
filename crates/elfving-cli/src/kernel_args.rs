//! The kernel on the command line, and what it becomes.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use elfving::pool::{KernelSpec, Lengthscale, Points, default_lengthscale};
use serde::{Deserialize, Serialize};

use crate::error::CliError;
use crate::talk::Talk;
use crate::words::short;

/// The kernel and its parameters.
#[derive(Debug, Clone, Default, Args, Serialize, Deserialize)]
#[serde(default)]
#[command(next_help_heading = "Kernel")]
pub(crate) struct KernelArgs {
    /// The kernel: how similar two candidates are (default: linear, the features as they are)
    #[arg(long, value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kernel: Option<KernelName>,
    /// Length scale: one number, one per feature (L1,L2,..), or `median` (the default), the median distance between
    /// candidates. RBF is exp(-|x-y|^2 / (2 L^2))
    #[arg(long, value_name = "L", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lengthscale: Option<LengthscaleArg>,
    /// The mixture parameter of rational-quadratic (default: 1)
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) alpha: Option<f64>,
    /// The degree of the polynomial kernel (default: 2)
    #[arg(long, value_name = "P")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) degree: Option<u32>,
    /// The offset of the polynomial kernel (default: 1)
    #[arg(long, value_name = "C", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) offset: Option<f64>,
    /// The period of the periodic kernel, in the unit of the features
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) period: Option<f64>,
    /// A kernel matrix in a file (.npy): one row and column per candidate, then per target
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(crate) gram: Option<PathBuf>,
    /// The part of the kernel that its factorisation may leave out, relative to the largest value (default: chosen from
    /// gamma and the tolerance)
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) residual: Option<f64>,
}

/// The kernels by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum KernelName {
    /// The features as they are
    Linear,
    /// Squared exponential: infinitely smooth
    Rbf,
    /// Exponential: continuous, not differentiable
    Matern12,
    /// Matern 3/2: once differentiable
    Matern32,
    /// Matern 5/2: twice differentiable
    Matern52,
    /// A mixture of RBF kernels over length scales
    RationalQuadratic,
    /// Products of features up to a degree
    Polynomial,
    /// Periodic
    Periodic,
    /// A matrix in a file: --gram
    Gram,
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().expect("no kernel is hidden").get_name())
    }
}

/// `median`, `0.5`, or `0.1,2,0.7`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) enum LengthscaleArg {
    Median,
    Given(Lengthscale),
}

impl FromStr for LengthscaleArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "median" {
            return Ok(Self::Median);
        }
        let number = |part: &str| part.trim().parse::<f64>().map_err(|_| format!("{part:?} is not a number"));
        let mut numbers = text.split(',').map(number).collect::<Result<Vec<f64>, String>>()?;
        Ok(Self::Given(match numbers.len() {
            1 => Lengthscale::Shared(numbers.remove(0)),
            _ => Lengthscale::PerFeature(numbers),
        }))
    }
}

impl TryFrom<String> for LengthscaleArg {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<LengthscaleArg> for String {
    fn from(arg: LengthscaleArg) -> Self {
        match arg {
            LengthscaleArg::Median => "median".to_owned(),
            LengthscaleArg::Given(lengthscale) => {
                lengthscale.values().iter().map(f64::to_string).collect::<Vec<_>>().join(",")
            }
        }
    }
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
        let has_lengthscale = !matches!(name, KernelName::Linear | KernelName::Polynomial | KernelName::Gram);
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
        if name == KernelName::Periodic && self.lengthscale == Some(LengthscaleArg::Median) {
            let message = "the length scale of the periodic kernel is relative to its period, not a distance";
            return Err(CliError::usage("E202", message, "give a number, 1 for example"));
        }
        Ok(())
    }

    /// The kernel on these points, with every default filled in.
    ///
    /// # Panics
    /// For a matrix in a file, which is no function of points.
    pub(crate) fn resolve(&mut self, points: &Points, seed: u64, talk: Talk) -> Result<KernelSpec, CliError> {
        let lengthscale = match self.name() {
            KernelName::Linear | KernelName::Polynomial | KernelName::Gram => Lengthscale::Shared(1.0),
            name => self.resolve_lengthscale(name, points, seed, talk)?,
        };
        Ok(match self.name() {
            KernelName::Gram => unreachable!("a kernel matrix comes from its file"),
            KernelName::Linear => KernelSpec::Linear,
            KernelName::Rbf => KernelSpec::Rbf { lengthscale },
            KernelName::Matern12 => KernelSpec::Matern12 { lengthscale },
            KernelName::Matern32 => KernelSpec::Matern32 { lengthscale },
            KernelName::Matern52 => KernelSpec::Matern52 { lengthscale },
            KernelName::RationalQuadratic => {
                KernelSpec::RationalQuadratic { lengthscale, alpha: *self.alpha.get_or_insert(1.0) }
            }
            KernelName::Periodic => {
                let period = self.period.expect("`check` asks for the period");
                KernelSpec::Periodic { lengthscale, period }
            }
            KernelName::Polynomial => KernelSpec::Polynomial {
                degree: *self.degree.get_or_insert(2),
                offset: *self.offset.get_or_insert(1.0),
            },
        })
    }

    /// The lengthscale as numbers; the median is taken once and kept.
    fn resolve_lengthscale(
        &mut self,
        name: KernelName,
        points: &Points,
        seed: u64,
        talk: Talk,
    ) -> Result<Lengthscale, CliError> {
        let resolved = match self.lengthscale.take() {
            Some(LengthscaleArg::Given(lengthscale)) => lengthscale,
            None if name == KernelName::Periodic => Lengthscale::Shared(1.0),
            None | Some(LengthscaleArg::Median) => {
                let median = default_lengthscale(points, seed)?;
                talk.note(format!("length scale {} (the median distance between candidates)", short(median)));
                Lengthscale::Shared(median)
            }
        };
        self.lengthscale = Some(LengthscaleArg::Given(resolved.clone()));
        Ok(resolved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lengthscale_is_a_word_a_number_or_a_list_and_survives_a_file() {
        for text in ["median", "0.025", "0.1,2,0.7", "0.30000000000000004"] {
            let arg: LengthscaleArg = text.parse().unwrap();
            assert_eq!(String::from(arg), text);
        }
        assert!("0.1,x".parse::<LengthscaleArg>().is_err());
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
