"""The value of an experience at a stage, derived from the events by replay.

Two rules over the same events:

- the paper's (docs/development/agent.md): Q += alpha (r - Q), r1 = +1 or -1, r2 normalised by its running
  mean and deviation; every item of the context earns the whole reward.
- ours (docs/development/agent.md): a posterior of the reward for (stage, family, state,
  experience), shrunk to the experience's own mean, which is shrunk to that of the family; log speedup against
  the parent; credit by share.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kernelwright_backends.core.model import Model
from kernelwright_memory.bank.reward import Role
from kernelwright_memory.bank.store import replay_order
from kernelwright_memory.generators.base import Stage

# Ours: the paper gives none of them but the form of the rule.
LEARNING_RATE = 0.3
INITIAL_Q = 0.0
DEVIATION_FLOOR = 0.1
SHRINKAGE = 5.0
SAMPLES_UNTIL_NORMALISED = 10
CLIP = 3.0
_DEVIATION_BEFORE = 1.0


class Value(Model):
    """What one experience is worth at one stage."""

    experience: str
    stage: Stage
    q: float = Field(description="the paper's Q1 or Q2")
    mean: float = Field(description="posterior mean of the normalised reward")
    deviation: float = Field(description="of the posterior: how unsure the mean is")
    count: int = Field(description="steps in which it was used at this stage")


class Posterior(NamedTuple):
    mean: float
    deviation: float
    samples: float


def draft_reward(feasible: bool) -> float:
    """r1: +1 for a feasible candidate, else -1."""
    return 1.0 if feasible else -1.0


def refine_reward(feasible: bool, best_us: float | None, latency_us: float | None) -> float | None:
    """r2 = tanh(log b - log latency) = (rho^2 - 1) / (rho^2 + 1) with rho = b / latency; -1 if not feasible.

    None where a latency is unknown: then nothing was learned about speed.
    """
    if not feasible:
        return -1.0
    if not best_us or not latency_us:
        return None
    return math.tanh(math.log(best_us) - math.log(latency_us))


class Running:
    """Mean and deviation of a growing sample (Welford)."""

    __slots__ = ("_squares", "count", "mean")

    def __init__(self) -> None:
        self.count, self.mean, self._squares = 0, 0.0, 0.0

    def add(self, sample: float) -> None:
        self.count += 1
        step = sample - self.mean
        self.mean += step / self.count
        self._squares += step * (sample - self.mean)

    @property
    def deviation(self) -> float:
        return math.sqrt(self._squares / self.count) if self.count else 0.0

    def normalised(self, sample: float, floor: float = DEVIATION_FLOOR) -> float:
        return (sample - self.mean) / max(self.deviation, floor)


class Values:
    """All values, from all events. `extend` takes new events; what comes out is that of a replay from the
    first one.
    """

    def __init__(
        self, *, alpha: float = LEARNING_RATE, initial: float = INITIAL_Q, shrinkage: float = SHRINKAGE
    ) -> None:
        self._alpha, self._initial, self._kappa = alpha, initial, shrinkage
        self._rows: list[Mapping[str, Any]] = []
        self._seen: set[str] = set()
        self._start()

    def _start(self) -> None:
        self._q: dict[tuple[str, str], float] = {}
        self._uses: dict[tuple[str, str], int] = {}
        self._speed = Running()
        self._step: tuple[str, int] | None = None
        self._normalised = 0.0
        self._posteriors: _Posteriors | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def extend(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take events that were not taken yet. One that belongs before an event already taken causes a
        replay.
        """
        unseen = {row["id"]: row for row in rows if row["id"] not in self._seen}
        new = sorted(unseen.values(), key=replay_order)
        if not new:
            return
        late = bool(self._rows) and replay_order(new[0]) < replay_order(self._rows[-1])
        self._rows.extend(new)
        self._seen.update(unseen)
        if late:
            self._rows.sort(key=replay_order)
            self._start()
            new = self._rows
        for row in new:
            self._apply(row)
        self._posteriors = None

    def _apply(self, row: Mapping[str, Any]) -> None:
        """The paper's rule for one event. All events of a step share one reward, which is one sample of the
        statistics.
        """
        role: Role = row["role"]
        if role not in ("context", "start"):
            return
        stage, experience, reward = row["stage"], row["experience"], row["reward"]
        if stage == "refine":
            if self._step != (row["run"], row["step"]):
                self._step = (row["run"], row["step"])
                self._speed.add(reward)
                self._normalised = self._speed.normalised(reward)
            reward = self._normalised
        key = (experience, stage)
        q = self._q.get(key, self._initial)
        self._q[key] = q + self._alpha * (reward - q)
        self._uses[key] = self._uses.get(key, 0) + 1

    def q(self, experience: str, stage: Stage) -> float:
        """Q1 (draft) or Q2 (refine) of the paper's rule; Q0 for what was never used."""
        return self._q.get((experience, stage), self._initial)

    def uses(self, experience: str, stage: Stage) -> int:
        return self._uses.get((experience, stage), 0)

    def posterior(
        self, experience: str, stage: Stage, *, dialect: str, family: str = "", state: str = ""
    ) -> Posterior:
        """Of the normalised reward that this experience brings for tasks of `family` in `state`."""
        if self._posteriors is None:
            self._posteriors = _Posteriors(self._rows, self._kappa)
        return self._posteriors.of(experience, stage, dialect, family, state)

    def value(
        self, experience: str, stage: Stage, *, dialect: str, family: str = "", state: str = ""
    ) -> Value:
        """Both rules' answers, for people to look at."""
        posterior = self.posterior(experience, stage, dialect=dialect, family=family, state=state)
        return Value(
            experience=experience,
            stage=stage,
            q=self.q(experience, stage),
            mean=posterior.mean,
            deviation=posterior.deviation,
            count=self.uses(experience, stage),
        )


class _Sums(NamedTuple):
    weight: float
    mean: float


class _Posteriors:
    """Credit-weighted means of the normalised rewards at three levels: family, experience, experience in a
    state.
    """

    def __init__(self, rows: list[Mapping[str, Any]], kappa: float) -> None:
        self._kappa = kappa
        rewards = np.array([_parent_reward(row) for row in rows], float)
        weights = np.array([row["credit"] for row in rows], float)
        refining = np.array([row["stage"] == "refine" for row in rows], bool)
        groups = _codes(rows, lambda row: (row["stage"], row["dialect"], row["family"]))
        one_of_step = _first_of_step(rows)
        normalised = np.where(refining, _normalise(rewards, groups[0], len(groups[1]), one_of_step), rewards)
        usable = np.isfinite(normalised) & (weights > 0)
        normalised = np.where(usable, normalised, 0.0)
        weights = np.where(usable, weights, 0.0)
        self._groups = _means(groups, normalised, weights)
        self._items = _means(_codes(rows, lambda row: (row["stage"], row["experience"])), normalised, weights)
        cells = _codes(
            rows, lambda row: (row["stage"], row["dialect"], row["family"], row["state"], row["experience"])
        )
        self._cells = _means(cells, normalised, weights)
        spread = normalised[usable & one_of_step]
        self._deviation = (
            max(float(spread.std()), DEVIATION_FLOOR)
            if len(spread) >= SAMPLES_UNTIL_NORMALISED
            else _DEVIATION_BEFORE
        )

    def of(self, experience: str, stage: str, dialect: str, family: str, state: str) -> Posterior:
        group = self._groups.get((stage, dialect, family), _Sums(0.0, 0.0))
        item = self._items.get((stage, experience), _Sums(0.0, 0.0))
        cell = self._cells.get((stage, dialect, family, state, experience), _Sums(0.0, 0.0))
        prior = self._shrunk(self._shrunk(0.0, group), item)
        mean = self._shrunk(prior, cell)
        # The prior stands for kappa observations; what was seen in other families and states counts for the
        # mean only in part, so it narrows the posterior in part: as the share that the item's own mean has in
        # the prior.
        elsewhere = (
            (item.weight - cell.weight) * item.weight / (item.weight + self._kappa) if item.weight else 0.0
        )
        count = cell.weight + max(elsewhere, 0.0)
        return Posterior(mean, self._deviation / math.sqrt(self._kappa + count), item.weight)

    def _shrunk(self, prior: float, sums: _Sums) -> float:
        return (self._kappa * prior + sums.weight * sums.mean) / (self._kappa + sums.weight)


def _parent_reward(row: Mapping[str, Any]) -> float:
    """What a role earns under our rule; NaN where nothing was learned."""
    if row["stage"] == "draft" or not row["feasible"]:
        return float(row["reward"])
    gain = row["parent_gain"]
    return math.nan if gain is None else float(gain)


def _codes(
    rows: list[Mapping[str, Any]], key: Callable[[Mapping[str, Any]], tuple[str, ...]]
) -> tuple[NDArray[np.intp], list[tuple[str, ...]]]:
    """Number the distinct keys of `rows`: the number of each row, and the keys."""
    numbers: dict[tuple[str, ...], int] = {}
    codes = np.fromiter((numbers.setdefault(key(row), len(numbers)) for row in rows), np.intp, len(rows))
    return codes, list(numbers)


def _first_of_step(rows: list[Mapping[str, Any]]) -> NDArray[np.bool_]:
    """One row a step: a step is one sample of the reward, however many experiences it credits."""
    seen: set[tuple[str, int]] = set()
    first = np.zeros(len(rows), bool)
    for number, row in enumerate(rows):
        if row["role"] not in ("birth", "recheck") and (row["run"], row["step"]) not in seen:
            seen.add((row["run"], row["step"]))
            first[number] = True
    return first


def _normalise(
    rewards: NDArray[np.float64], groups: NDArray[np.intp], number: int, samples: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Rewards by the mean and deviation of their group, clipped at 3; as they are until the group has 10
    samples.
    """
    use = samples & np.isfinite(rewards)
    counts = np.bincount(groups[use], minlength=number).astype(float)
    means = np.bincount(groups[use], rewards[use], minlength=number) / np.maximum(counts, 1)
    squares = np.bincount(
        groups[use], (rewards[use] - means[groups[use]]) ** 2, minlength=number
    ) / np.maximum(counts, 1)
    settled = counts >= SAMPLES_UNTIL_NORMALISED
    centre = np.where(settled, means, 0.0)
    scale = np.where(settled, np.maximum(np.sqrt(squares), DEVIATION_FLOOR), 1.0)
    clipped: NDArray[np.float64] = np.clip((rewards - centre[groups]) / scale[groups], -CLIP, CLIP)
    return clipped


def _means(
    codes: tuple[NDArray[np.intp], list[tuple[str, ...]]],
    rewards: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> dict[tuple[str, ...], _Sums]:
    numbers, keys = codes
    if not keys:
        return {}
    totals = np.bincount(numbers, weights, minlength=len(keys))
    sums = np.bincount(numbers, weights * rewards, minlength=len(keys)) / np.maximum(totals, 1e-12)
    return {
        key: _Sums(float(total), float(mean)) for key, total, mean in zip(keys, totals, sums, strict=True)
    }
