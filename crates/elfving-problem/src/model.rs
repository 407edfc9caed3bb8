//! What is made of the columns: a linear or polynomial model, a kernel, or a kernel matrix.

use std::fmt;

use elfving::named::named_enum;
use elfving::pool::formula::Formula;
use elfving::pool::{Factorisation, KernelSpec};
use serde::{Deserialize, Serialize};

use crate::ProblemError;

named_enum! {
    /// The kernels by name.
    pub enum KernelName: "kernel" {
        /// [`KernelSpec::Linear`].
        Linear = "linear": "The features as they are",
        /// [`KernelSpec::Smooth`].
        Smooth = "smooth": "Smooth with an intercept, length scales chosen from the pool: what a certified campaign takes by itself",
        /// [`KernelSpec::Rbf`].
        Rbf = "rbf": "Squared exponential: infinitely smooth",
        /// [`KernelSpec::Matern12`].
        Matern12 = "matern12": "Exponential: continuous, not differentiable",
        /// [`KernelSpec::Matern32`].
        Matern32 = "matern32": "Matern 3/2: once differentiable",
        /// [`KernelSpec::Matern52`].
        Matern52 = "matern52": "Matern 5/2: twice differentiable",
        /// [`KernelSpec::RationalQuadratic`].
        RationalQuadratic = "rational-quadratic": "A mixture of RBF kernels over length scales",
        /// [`KernelSpec::Polynomial`].
        Polynomial = "polynomial": "Products of features up to a degree",
        /// [`KernelSpec::Periodic`].
        Periodic = "periodic": "Periodic",
        /// [`Model::Matrix`].
        Gram = "gram": "A matrix in a file",
    }
}

/// The model of the outcome over the columns.
///
/// As asked, a kernel may leave its length scale to the points and its residual to the question; [`Dataset`](crate::Dataset) fills in the
/// first when it is made and [`Dataset::recorded_model`](crate::Dataset::recorded_model) both, so that nothing is left to be guessed again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "model", deny_unknown_fields)]
pub enum Model {
    /// Nothing was said: linear in the columns, but a certified campaign begins with [`KernelSpec::Smooth`].
    #[default]
    Unstated,
    /// Linear in the columns.
    Linear,
    /// All products of columns up to a degree, with an intercept.
    Polynomial {
        /// The degree.
        degree: usize,
        /// Whether products of different columns only.
        interactions_only: bool,
    },
    /// The terms of a formula, such as `~ temp + I(temp^2) + base*time`.
    Formula {
        /// The formula.
        formula: Formula,
    },
    /// A kernel.
    Kernel {
        /// The kernel.
        of: KernelSpec,
        /// How much of it the features may leave out, relative to its largest value; chosen from the question unless given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        residual: Option<f64>,
    },
    /// A kernel matrix that comes with the pool.
    Matrix {
        /// As for a kernel.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        residual: Option<f64>,
    },
}

impl Model {
    /// The class of a certified campaign whose user names no model.
    pub fn smooth() -> Self {
        Self::Kernel { of: KernelSpec::Smooth, residual: None }
    }

    /// The model that options ask for: a kernel, a polynomial degree, a formula, or none of them.
    ///
    /// # Errors
    /// [`ProblemError::TwoModels`] for more than one; [`ProblemError::Formula`].
    pub fn of_options(
        kernel: Option<KernelSpec>,
        residual: Option<f64>,
        degree: Option<usize>,
        interactions_only: bool,
        formula: Option<&str>,
    ) -> Result<Self, ProblemError> {
        if let Some(text) = formula {
            return match kernel.is_some_and(|kernel| kernel != KernelSpec::Linear) || degree.is_some() {
                true => Err(ProblemError::TwoModels { first: "a formula" }),
                false => Ok(Self::Formula { formula: Formula::parse(text).map_err(ProblemError::Formula)? }),
            };
        }
        match (kernel, degree) {
            (Some(kernel), Some(_)) if kernel != KernelSpec::Linear => {
                Err(ProblemError::TwoModels { first: "a polynomial model" })
            }
            (_, Some(degree)) => Ok(Self::Polynomial { degree, interactions_only }),
            (None, None) => Ok(Self::Unstated),
            (Some(KernelSpec::Linear), None) => Ok(Self::Linear),
            (Some(of), None) => Ok(Self::Kernel { of, residual }),
        }
    }

    /// How far its kernel is factorised for a design of this ridge and gap; none for features as they are.
    pub fn residual(&self, gamma: f64, tolerance: f64) -> Option<f64> {
        let (given, from_file) = match self {
            Self::Unstated | Self::Linear | Self::Polynomial { .. } | Self::Formula { .. } => return None,
            Self::Kernel { residual, .. } => (residual, false),
            Self::Matrix { residual } => (residual, true),
        };
        Some(given.unwrap_or_else(|| Factorisation::for_design(gamma, tolerance, from_file).residual))
    }

    /// The same with its residual fixed.
    #[must_use]
    pub fn with_residual(self, fixed: Option<f64>) -> Self {
        match self {
            Self::Kernel { of, .. } => Self::Kernel { of, residual: fixed },
            Self::Matrix { .. } => Self::Matrix { residual: fixed },
            plain => plain,
        }
    }

    /// The kernel, where it has one.
    pub fn kernel(&self) -> Option<&KernelSpec> {
        match self {
            Self::Kernel { of, .. } => Some(of),
            _ => None,
        }
    }

    /// Whether the features are factors of a kernel.
    pub fn is_kernel(&self) -> bool {
        matches!(self, Self::Kernel { .. } | Self::Matrix { .. })
    }
}

impl fmt::Display for Model {
    /// `kernel RBF, lengthscale 0.025`, or how the features came about.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unstated | Self::Linear => f.write_str("linear model"),
            Self::Polynomial { degree, interactions_only: true } => {
                write!(f, "interactions up to degree {degree}")
            }
            Self::Polynomial { degree, .. } => write!(f, "polynomial model of degree {degree}"),
            Self::Formula { formula } => write!(f, "model {formula}"),
            Self::Kernel { of, .. } => write!(f, "kernel {of}"),
            Self::Matrix { .. } => f.write_str("kernel matrix"),
        }
    }
}
