"""The peers: each takes in what was measured and says what to measure next and what it would pick now.

All see the same columns: BoTorch the encoded ones on [0, 1], BayBE the user's columns with categories by name, Optuna the index.
"""

import warnings

import numpy as np

warnings.filterwarnings("ignore")


class Random:
    """Different points at random; picks the best average."""

    def __init__(self, table, seed, batch):
        self.table, self.batch = table, batch
        self.random = np.random.default_rng([seed, 2])
        self.rows, self.outcomes = [], []

    def take(self, rows, outcomes):
        self.rows += rows
        self.outcomes += outcomes

    def next(self):
        return [int(row) for row in self.random.choice(self.table.points, self.batch, replace=False)]

    def pick(self):
        if self.table.transductive:
            return None
        return self.best_average()

    def best_average(self):
        different = sorted(set(self.rows))
        rows, outcomes = np.array(self.rows), np.array(self.outcomes)
        return different[int(np.argmax([outcomes[rows == row].mean() for row in different]))]


class Botorch(Random):
    """A SingleTaskGP with its default priors, fitted anew for every batch; picks the best posterior mean."""

    def __init__(self, table, seed, batch):
        import torch

        super().__init__(table, seed, batch)
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.torch = torch
        self.x = torch.tensor(table.features, dtype=torch.double)
        self.points = torch.tensor(table.points)
        self.model = None

    def fitted(self):
        if self.model is None:
            from botorch import fit_gpytorch_mll
            from botorch.models import SingleTaskGP
            from gpytorch.mlls import ExactMarginalLogLikelihood

            y = self.torch.tensor(self.outcomes, dtype=self.torch.double).unsqueeze(-1)
            self.model = SingleTaskGP(self.x[self.rows], y)
            fit_gpytorch_mll(ExactMarginalLogLikelihood(self.model.likelihood, self.model))
        return self.model

    def take(self, rows, outcomes):
        super().take(rows, outcomes)
        self.model = None

    def pick(self):
        rows = self.table.choices if self.table.transductive else sorted(set(self.rows))
        model = self.fitted()
        with self.torch.no_grad():
            means = model.posterior(self.x[rows]).mean.squeeze(-1)
        return rows[int(means.argmax())]

    def best_of(self, acquisition):
        """Sequentially, with the slots already chosen pending; repeats are allowed."""
        from botorch.optim import optimize_acqf_discrete

        chosen, _ = optimize_acqf_discrete(acquisition, self.batch, self.x[self.points], unique=False)
        found = (self.x[self.points].unsqueeze(0) == chosen.unsqueeze(1)).all(-1).double().argmax(-1)
        return [self.table.points[int(k)] for k in found]


class BotorchUcb(Botorch):
    """mean + 2 deviations; the deviations updated for the slots already chosen, the means held."""

    def next(self):
        model, x = self.fitted(), self.x[self.points]
        with self.torch.no_grad():
            posterior = model.posterior(x)
            means = posterior.mean.squeeze(-1)
            # The covariance once, then exact updates: much less work than conditioning the model ten times.
            covariance = posterior.distribution.covariance_matrix.clone()
            noise = float(model.likelihood.noise.mean() * model.outcome_transform.stdvs.squeeze() ** 2)
            chosen = []
            for _ in range(self.batch):
                deviations = covariance.diagonal().clamp_min(0.0).sqrt()
                best = int((means + 2.0 * deviations).argmax())
                chosen.append(self.table.points[best])
                column = covariance[:, best].clone()
                covariance -= self.torch.outer(column, column) / (column[best] + noise)
        return chosen


class BotorchQUcb(Botorch):
    """The Monte-Carlo qUpperConfidenceBound with beta = 4."""

    def next(self):
        from botorch.acquisition import qUpperConfidenceBound

        return self.best_of(qUpperConfidenceBound(self.fitted(), beta=4.0))


class BotorchLogNei(Botorch):
    """qLogNoisyExpectedImprovement."""

    def next(self):
        from botorch.acquisition.logei import qLogNoisyExpectedImprovement

        baseline = self.x[sorted(set(self.rows))]
        return self.best_of(qLogNoisyExpectedImprovement(self.fitted(), baseline, prune_baseline=True))


class BotorchThompson(Botorch):
    """MaxPosteriorSampling: each slot the best point of a joint draw."""

    def next(self):
        from botorch.generation import MaxPosteriorSampling

        model, x = self.fitted(), self.x[self.points]
        with self.torch.no_grad():
            chosen = MaxPosteriorSampling(model, replacement=True)(x, num_samples=self.batch)
        found = (x.unsqueeze(0) == chosen.unsqueeze(1)).all(-1).double().argmax(-1)
        return [self.table.points[int(k)] for k in found]


class Baybe(Random):
    """A BayBE campaign with its default recommender, on the columns of the user."""

    def __init__(self, table, seed, batch):
        import pandas
        from baybe import Campaign
        from baybe.objectives import SingleTargetObjective
        from baybe.parameters import CategoricalParameter, NumericalDiscreteParameter
        from baybe.searchspace import SearchSpace
        from baybe.settings import Settings
        from baybe.targets import NumericalTarget

        super().__init__(table, seed, batch)
        Settings(random_seed=seed).activate()
        parameters = []
        for name, column in table.columns.items():
            values = sorted({column[k] for k in table.points})
            if len(values) > 1:
                kind = CategoricalParameter if isinstance(values[0], str) else NumericalDiscreteParameter
                parameters.append(kind(name, values=values))
        # A frame of all rows of the table: points to measure and choices to pick among are some of them.
        self.frame = pandas.DataFrame({parameter.name: table.columns[parameter.name] for parameter in parameters})
        points = self.frame.iloc[table.points]
        self.row_of = {tuple(cells): row for row, cells in zip(table.points, points.itertuples(index=False))}
        objective = SingleTargetObjective(NumericalTarget("outcome"))
        self.campaign = Campaign(SearchSpace.from_dataframe(points.reset_index(drop=True), parameters), objective)

    def take(self, rows, outcomes):
        super().take(rows, outcomes)
        frame = self.frame.iloc[rows].reset_index(drop=True)
        self.campaign.add_measurements(frame.assign(outcome=outcomes))

    def next(self):
        frame = self.campaign.recommend(self.batch)[list(self.frame.columns)]
        return [self.row_of[tuple(cells)] for cells in frame.itertuples(index=False)]

    def pick(self):
        rows = self.table.choices if self.table.transductive else sorted(set(self.rows))
        stats = self.campaign.posterior_stats(self.frame.iloc[rows])
        return rows[int(np.argmax(stats["outcome_mean"].to_numpy()))]


class Optuna(Random):
    """TPE on the index of the row, with a constant liar for the batch; picks the best average."""

    def __init__(self, table, seed, batch):
        import optuna

        super().__init__(table, seed, batch)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.optuna = optuna
        sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=True)
        self.study = optuna.create_study(direction="maximize", sampler=sampler)
        self.distribution = {"row": optuna.distributions.IntDistribution(0, len(table.points) - 1)}
        self.place = {row: k for k, row in enumerate(table.points)}
        self.open = []

    def take(self, rows, outcomes):
        super().take(rows, outcomes)
        if self.open:
            for trial, outcome in zip(self.open, outcomes, strict=True):
                self.study.tell(trial, outcome)
            self.open = []
            return
        for row, outcome in zip(rows, outcomes, strict=True):
            params = {"row": self.place[row]}
            trial = self.optuna.trial.create_trial(params=params, distributions=self.distribution, value=outcome)
            self.study.add_trial(trial)

    def next(self):
        self.open = [self.study.ask(self.distribution) for _ in range(self.batch)]
        return [self.table.points[trial.params["row"]] for trial in self.open]


PEERS = {
    "botorch-ucb": BotorchUcb,
    "botorch-qucb": BotorchQUcb,
    "botorch-qlognei": BotorchLogNei,
    "botorch-ts": BotorchThompson,
    "baybe": Baybe,
    "optuna-tpe": Optuna,
    "random": Random,
}
