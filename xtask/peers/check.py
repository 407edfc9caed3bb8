"""How good a design is, from its weights alone: numpy and an LP, nothing of the solvers compared here.

With M = sum_x l_x x x' + gamma I, q_v = v' M^-1 v and P_xv = x' M^-1 v:

d        optimum <= log det M + r log(1 + eps / r), eps = max_x q_x - <l, q>
g, xy    optimum >= F^2 / (F + D) for every w >= 0 on the targets with sum 1, where F = sum_v w_v q_v,
         g_x = sum_v w_v P_xv^2 and D = max_x g_x - <l, g>. Any w proves a bound; a linear program finds a good one.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import linprog


def pair_differences(targets):
    """All differences z_i - z_j, i < j."""
    i, j = np.triu_indices(len(targets), 1)
    return targets[i] - targets[j]


def rbf(a, b, lengthscale):
    """exp(-|x - y|^2 / (2 l^2)) for all rows x of a and y of b."""
    squares = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-squares / (2.0 * lengthscale**2))


class FeatureForm:
    """q and P with an explicit matrix M."""

    def __init__(self, pool, targets, weights, gamma):
        information = (pool * weights[:, None]).T @ pool + gamma * np.eye(pool.shape[1])
        self.pool, self.targets, self.factor = pool, targets, cho_factor(information, lower=True)

    def norms(self):
        half = solve_triangular(self.factor[0], self.targets.T, lower=True)
        return (half**2).sum(axis=0)

    def products(self, chosen):
        return self.pool @ cho_solve(self.factor, self.targets[chosen].T)


class KernelForm:
    """q and P from the exact kernel on the support (Lemma 1 of the paper); targets are the pool itself."""

    def __init__(self, gram, weights, gamma):
        support = np.flatnonzero(weights > 0.0)
        root = np.sqrt(weights[support])
        small = root[:, None] * gram[np.ix_(support, support)] * root[None, :]
        factor = np.linalg.cholesky(small + gamma * np.eye(len(support)))
        half = solve_triangular(factor, root[:, None] * gram[support], lower=True)
        self.all_products = (gram - half.T @ half) / gamma

    def norms(self):
        return np.diag(self.all_products).copy()

    def products(self, chosen):
        return self.all_products[:, chosen]


def determinant_certificate(pool, weights, gamma):
    """Value of criterion d and the upper bound on its optimum."""
    rank = pool.shape[1]
    form = FeatureForm(pool, pool, weights, gamma)
    value = 2.0 * np.log(np.diag(form.factor[0])).sum()
    q = form.norms()
    excess = max(q.max() - weights @ q, 0.0)
    return value, value + rank * np.log1p(excess / rank)


def norm_certificate(form, weights):
    """Value of criterion g or xy and a lower bound on its optimum.

    Only targets close to the largest norm can carry weight at an optimum; how close depends on how far the
    design still is from it, so several widths are tried and the best proof is kept.
    """
    q = form.norms()
    value = q.max()
    near = [np.flatnonzero(q >= value * (1.0 - width)) for width in (1e-8, 1e-6, 1e-4, 1e-2)]
    return value, max(_bound(form, weights, q, active) for active in near)


def _bound(form, weights, q, active):
    if len(active) > 3000:
        active = active[np.argsort(-q[active], kind="stable")[:3000]]
    squares = form.products(active) ** 2
    gain = q[active] + weights @ squares
    scale = q.max()
    # maximise F - D, the linearised bound: its w also serves the sharper F^2 / (F + D).
    columns = len(active)
    result = linprog(
        np.append(-gain, scale) / scale,
        A_ub=np.hstack([squares / scale, -np.ones((len(squares), 1))]),
        b_ub=np.zeros(len(squares)),
        A_eq=np.append(np.ones(columns), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0.0, None)] * columns + [(None, None)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.x is None:
        return 0.0
    w = np.clip(result.x[:-1], 0.0, None)
    w /= w.sum()
    mean_norm = w @ q[active]
    g = squares @ w
    slack = max(g.max() - weights @ g, 0.0)
    return mean_norm**2 / (mean_norm + slack)
