//! A kernel in words: to save with a design or a campaign, to parse, to print.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::pool::{Points, PoolError, default_lengthscale};

use super::smooth::smooth;
use super::{
    Constant, Kernel, Lengthscale, Linear, Matern12, Matern32, Matern52, Periodic, Polynomial, Product,
    RationalQuadratic, Rbf, Scaled, Sum,
};

/// The description of a kernel; [`KernelSpec::build`] checks it and makes the kernel.
///
/// In JSON the name is the field `kernel`:
///
/// ```
/// use elfving::pool::KernelSpec;
/// let json = r#"{"kernel": "scaled", "scale": 2.5, "of": {"kernel": "rbf", "lengthscale": 0.025}}"#;
/// let spec: KernelSpec = serde_json::from_str(json).unwrap();
/// assert_eq!(spec.to_string(), "2.5 × (RBF, length scale 0.025)");
/// assert_eq!(spec.build()?.evaluate(&[0.0], &[0.0]), 2.5);
/// # Ok::<(), elfving::pool::PoolError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kernel", rename_all = "kebab-case", deny_unknown_fields)]
pub enum KernelSpec {
    /// [`Linear`].
    Linear,
    /// [`Constant`].
    Constant {
        /// The value c.
        value: f64,
    },
    /// A cautious smooth class with an intercept, chosen from the points alone by [`KernelSpec::resolve`]: the constant 100 plus 4 times
    /// [`Matern52`], with a length scale for each column of half the typical distance between two points.
    Smooth,
    /// [`Polynomial`]; degree 2 and offset 1 unless given.
    Polynomial {
        /// The degree p.
        #[serde(default = "default_degree")]
        degree: u32,
        /// The offset c.
        #[serde(default = "one")]
        offset: f64,
    },
    /// [`Rbf`].
    Rbf {
        /// The lengthscale l; the median distance unless given.
        #[serde(default)]
        lengthscale: Lengthscale,
    },
    /// [`Matern12`].
    Matern12 {
        /// The lengthscale l; the median distance unless given.
        #[serde(default)]
        lengthscale: Lengthscale,
    },
    /// [`Matern32`].
    Matern32 {
        /// The lengthscale l; the median distance unless given.
        #[serde(default)]
        lengthscale: Lengthscale,
    },
    /// [`Matern52`].
    Matern52 {
        /// The lengthscale l; the median distance unless given.
        #[serde(default)]
        lengthscale: Lengthscale,
    },
    /// [`RationalQuadratic`]; α = 1 unless given.
    RationalQuadratic {
        /// The lengthscale l; the median distance unless given.
        #[serde(default)]
        lengthscale: Lengthscale,
        /// The mixture parameter α.
        #[serde(default = "one")]
        alpha: f64,
    },
    /// [`Periodic`].
    Periodic {
        /// The lengthscale l, relative to the period; 1 unless given.
        #[serde(default)]
        lengthscale: Lengthscale,
        /// The period p.
        period: f64,
    },
    /// [`Scaled`].
    Scaled {
        /// The factor a.
        scale: f64,
        /// The kernel it multiplies.
        of: Box<KernelSpec>,
    },
    /// [`Sum`].
    Sum {
        /// The kernels to add.
        terms: Vec<KernelSpec>,
    },
    /// [`Product`].
    Product {
        /// The kernels to multiply.
        factors: Vec<KernelSpec>,
    },
}

fn default_degree() -> u32 {
    2
}

fn one() -> f64 {
    1.0
}

impl KernelSpec {
    /// The kernel on these points with a number for every length scale: the median distance between the points where none is given (1 for a
    /// periodic kernel, whose length scale is relative to its period). The median is taken at most once.
    ///
    /// # Errors
    /// Those of [`default_lengthscale`].
    ///
    /// ```
    /// use elfving::pool::{KernelSpec, Lengthscale, Points};
    /// use elfving::numerics::Matrix;
    /// let line = Points::new(Matrix::from_rows(&[[0.0], [1.0], [3.0]]))?;
    /// let spec = KernelSpec::Rbf { lengthscale: Lengthscale::Median };
    /// assert!(spec.build().is_err());
    /// assert_eq!(spec.resolve(&line, 0)?.to_string(), "RBF, length scale 2");
    /// # Ok::<(), elfving::pool::PoolError>(())
    /// ```
    pub fn resolve(&self, points: &Points, seed: u64) -> Result<Self, PoolError> {
        let mut median = None;
        let mut resolved = self.clone();
        resolved.fill(points, &mut || match median {
            Some(known) => Ok(known),
            None => default_lengthscale(points, seed).inspect(|&found| median = Some(found)),
        })?;
        Ok(resolved)
    }

    /// The intercept, the variance of the smooth part and its length scales, of a [`Smooth`](Self::Smooth) class that was resolved.
    pub fn smooth_parts(&self) -> Option<(f64, f64, &Lengthscale)> {
        let KernelSpec::Sum { terms } = self else { return None };
        let [KernelSpec::Constant { value }, KernelSpec::Scaled { scale, of }] = terms.as_slice() else {
            return None;
        };
        match &**of {
            KernelSpec::Matern52 { lengthscale } => Some((*value, *scale, lengthscale)),
            _ => None,
        }
    }

    fn fill(
        &mut self,
        points: &Points,
        median: &mut dyn FnMut() -> Result<f64, PoolError>,
    ) -> Result<(), PoolError> {
        match self {
            KernelSpec::Linear | KernelSpec::Constant { .. } | KernelSpec::Polynomial { .. } => Ok(()),
            KernelSpec::Smooth => {
                *self = smooth(points.matrix());
                Ok(())
            }
            KernelSpec::Periodic { lengthscale, .. } => {
                if *lengthscale == Lengthscale::Median {
                    *lengthscale = Lengthscale::Shared(1.0);
                }
                Ok(())
            }
            KernelSpec::Rbf { lengthscale }
            | KernelSpec::Matern12 { lengthscale }
            | KernelSpec::Matern32 { lengthscale }
            | KernelSpec::Matern52 { lengthscale }
            | KernelSpec::RationalQuadratic { lengthscale, .. } => {
                if *lengthscale == Lengthscale::Median {
                    *lengthscale = Lengthscale::Shared(median()?);
                }
                Ok(())
            }
            KernelSpec::Scaled { of, .. } => of.fill(points, median),
            KernelSpec::Sum { terms: parts } | KernelSpec::Product { factors: parts } => {
                parts.iter_mut().try_for_each(|part| part.fill(points, median))
            }
        }
    }

    /// Makes the kernel.
    ///
    /// # Errors
    /// What the kernel's constructor finds: [`PoolError::Invalid`] for a lengthscale,
    /// [`PoolError::Parameter`] for another number, [`PoolError::NoKernels`] for an empty list.
    pub fn build(&self) -> Result<Arc<dyn Kernel>, PoolError> {
        let all = |specs: &[KernelSpec]| specs.iter().map(KernelSpec::build).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            KernelSpec::Linear => Arc::new(Linear),
            KernelSpec::Constant { value } => Arc::new(Constant::new(*value)?),
            // Its length scales are not known yet.
            KernelSpec::Smooth => Arc::new(Matern52::new(Lengthscale::Median)?),
            KernelSpec::Polynomial { degree, offset } => Arc::new(Polynomial::new(*degree, *offset)?),
            KernelSpec::Rbf { lengthscale } => Arc::new(Rbf::new(lengthscale.clone())?),
            KernelSpec::Matern12 { lengthscale } => Arc::new(Matern12::new(lengthscale.clone())?),
            KernelSpec::Matern32 { lengthscale } => Arc::new(Matern32::new(lengthscale.clone())?),
            KernelSpec::Matern52 { lengthscale } => Arc::new(Matern52::new(lengthscale.clone())?),
            KernelSpec::RationalQuadratic { lengthscale, alpha } => {
                Arc::new(RationalQuadratic::new(lengthscale.clone(), *alpha)?)
            }
            KernelSpec::Periodic { lengthscale, period } => {
                Arc::new(Periodic::new(lengthscale.clone(), *period)?)
            }
            KernelSpec::Scaled { scale, of } => Arc::new(Scaled::new(*scale, of.build()?)?),
            KernelSpec::Sum { terms } => Arc::new(Sum::new(all(terms)?)?),
            KernelSpec::Product { factors } => Arc::new(Product::new(all(factors)?)?),
        })
    }
}

impl fmt::Display for KernelSpec {
    /// `RBF, lengthscale 0.025`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |specs: &[KernelSpec], sign: &str| {
            specs.iter().map(|spec| format!("({spec})")).collect::<Vec<_>>().join(sign)
        };
        match self {
            KernelSpec::Linear => write!(f, "linear"),
            KernelSpec::Constant { value } => write!(f, "constant {value}"),
            KernelSpec::Smooth => write!(f, "smooth, chosen from the points"),
            KernelSpec::Polynomial { degree, offset } => {
                write!(f, "polynomial, degree {degree}, offset {offset}")
            }
            KernelSpec::Rbf { lengthscale } => write!(f, "RBF, {lengthscale}"),
            KernelSpec::Matern12 { lengthscale } => write!(f, "Matern 1/2, {lengthscale}"),
            KernelSpec::Matern32 { lengthscale } => write!(f, "Matern 3/2, {lengthscale}"),
            KernelSpec::Matern52 { lengthscale } => write!(f, "Matern 5/2, {lengthscale}"),
            KernelSpec::RationalQuadratic { lengthscale, alpha } => {
                write!(f, "rational quadratic, {lengthscale}, alpha {alpha}")
            }
            KernelSpec::Periodic { lengthscale, period } => {
                write!(f, "periodic, period {period}, {lengthscale}")
            }
            KernelSpec::Scaled { scale, of } => write!(f, "{scale} × ({of})"),
            KernelSpec::Sum { terms } => f.write_str(&joined(terms, " + ")),
            KernelSpec::Product { factors } => f.write_str(&joined(factors, " × ")),
        }
    }
}
