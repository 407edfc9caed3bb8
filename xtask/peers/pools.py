"""The pools of the comparison, from a counter stream that any language can make.

The k-th output (k = 1, 2, ...) of the stream is splitmix64's mix of seed + k * 0x9E3779B97F4A7C15 mod 2^64;
u = ((output >> 11) + 0.5) * 2^-53; normals by Box-Muller on consecutive pairs; matrices filled row by row.
"""

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def uniforms(seed, count):
    """The first `count` numbers of the stream, strictly between 0 and 1."""
    k = np.arange(1, count + 1, dtype=np.uint64)
    z = np.uint64(seed) + k * GOLDEN
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return ((z >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def normals(seed, rows, columns):
    """rows x columns standard normals."""
    count = rows * columns
    u = uniforms(seed, count + count % 2)
    radius = np.sqrt(-2.0 * np.log(u[0::2]))
    angle = 2.0 * np.pi * u[1::2]
    z = np.empty_like(u)
    z[0::2] = radius * np.cos(angle)
    z[1::2] = radius * np.sin(angle)
    return z[:count].reshape(rows, columns)


def normalised(matrix):
    """The same rows with Euclidean norm one."""
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def paper_g(rows=1275, columns=50, seed=1):
    """The paper's G-optimal instance, or a smaller one like it: ten columns of variance 0.1, rows of norm one."""
    matrix = normals(seed, rows, columns)
    matrix[:, -10:] *= np.sqrt(0.1)
    return normalised(matrix)


def paper_rbf():
    """The paper's kernel instance: 501 points (i / 500)^2 on the line."""
    return ((np.arange(501) / 500.0) ** 2).reshape(-1, 1)


def verify():
    """Stop if this platform does not reproduce the stream: every number below would be of another pool."""
    matrix = normals(11, 60, 12)
    matrix[:, -10:] *= np.sqrt(0.1)
    first = normalised(matrix)[0, :3]
    expected = [-0.060501167365381948, 0.7771581082040554, -0.15393899609437911]
    if not np.allclose(first, expected, rtol=1e-13, atol=0.0):
        raise SystemExit(f"the counter stream is not reproduced: got {first}, expected {expected}")
