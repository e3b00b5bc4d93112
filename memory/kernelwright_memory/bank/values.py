"""The value of an experience at a stage, derived from the events.

Two rules over the same events:

- the paper's (docs/development/agent.md): Q += alpha (r - Q), r1 = +1 or -1, r2 normalised by its running
  mean and deviation; every item of the context earns the whole reward.
- ours: a posterior of the advantage over what the task's other steps earned, for (stage, family, state, experience),
  shrunk to the experience's own mean; log speedup against the parent; credit by share.

Ours is kept as sums that do not depend on the order of events, so that a step costs the same after 1,000 steps and after
30,000, and events of several writers may come in any order. The paper's rule depends on the order: what comes late is put in
its place as long as it is among the last events, and else in the next replay.
"""

import math
from array import array
from bisect import bisect
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pydantic import Field

from kernelwright_backends.core.model import Model
from kernelwright_memory.bank.columns import replay_order
from kernelwright_memory.bank.reward import UPKEEP, Role
from kernelwright_memory.generators.base import Stage

# Ours: the paper gives none of them but the form of the rule.
LEARNING_RATE = 0.3
INITIAL_Q = 0.0
DEVIATION_FLOOR = 0.1
SHRINKAGE = 5.0
SAMPLES_UNTIL_NORMALISED = 10
CLIP = 3.0
_DEVIATION_BEFORE = 1.0
# A task's baseline counts as if so many of its steps had earned nothing.
_BASELINE_PRIOR = 2.0
# Events that may still come late.
_UNDONE = 4096


class Value(Model):
    """What one experience is worth at one stage."""

    experience: str
    stage: Stage
    q: float = Field(description="the paper's Q1 or Q2")
    mean: float = Field(description="posterior mean of the advantage over the task's other steps")
    deviation: float = Field(description="of the posterior: how unsure the mean is")
    count: int = Field(description="steps in which it was used at this stage")
    helped: int = Field(0, description="of these, drafts that were feasible, or refinements that were faster")
    ratio: float | None = Field(
        None,
        description="refining: how many times as fast its start point became where it helped, the geometric mean",
    )


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


class Running(NamedTuple):
    """Mean and squares of a growing sample (Welford)."""

    samples: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def with_(self, sample: float) -> "Running":
        step = sample - self.mean
        mean = self.mean + step / (self.samples + 1)
        return Running(self.samples + 1, mean, self.squares + step * (sample - mean))

    @property
    def deviation(self) -> float:
        return math.sqrt(self.squares / self.samples) if self.samples else 0.0

    def normalised(self, sample: float, floor: float = DEVIATION_FLOOR) -> float:
        return (sample - self.mean) / max(self.deviation, floor)


class Values:
    """All values, from all events. `extend` takes new events, in any order."""

    def __init__(
        self, *, alpha: float = LEARNING_RATE, initial: float = INITIAL_Q, shrinkage: float = SHRINKAGE
    ) -> None:
        self._seen: set[str] = set()
        self._help: dict[tuple[str, str], tuple[int, float]] = {}
        self._paper = _Sequential(alpha, initial)
        self._advantages = _Advantages(shrinkage)

    def __len__(self) -> int:
        return len(self._seen)

    def extend(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take events; those that were taken already are left out."""
        unseen = {row["id"]: row for row in rows if row["id"] not in self._seen}
        self._seen.update(unseen)
        for row in sorted(unseen.values(), key=replay_order):
            self._paper.take(row)
            self._advantages.take(row)
            gain = row["parent_gain"] or 0.0
            if (
                row["role"] in ("context", "start")
                and row["feasible"]
                and (row["stage"] == "draft" or gain > 0)
            ):
                helped, gains = self._help.get((row["experience"], row["stage"]), (0, 0.0))
                self._help[row["experience"], row["stage"]] = (helped + 1, gains + gain)

    def q(self, experience: str, stage: Stage) -> float:
        """Q1 (draft) or Q2 (refine) of the paper's rule; Q0 for what was never used."""
        return self._paper.q(experience, stage)

    def uses(self, experience: str, stage: Stage) -> int:
        return self._paper.uses.get((experience, stage), 0)

    def posterior(
        self, experience: str, stage: Stage, *, dialect: str, family: str = "", state: str = ""
    ) -> Posterior:
        """Of the advantage that this experience brings for tasks of `family` in `state`, in deviations of what steps earn."""
        return self._advantages.of(experience, stage, dialect, family, state)

    def value(
        self, experience: str, stage: Stage, *, dialect: str, family: str = "", state: str = ""
    ) -> Value:
        """Both rules' answers, for people to look at."""
        posterior = self.posterior(experience, stage, dialect=dialect, family=family, state=state)
        helped, gains = self._help.get((experience, stage), (0, 0.0))
        return Value(
            helped=helped,
            ratio=math.exp(gains / helped) if helped and stage == "refine" else None,
            experience=experience,
            stage=stage,
            q=self.q(experience, stage),
            mean=posterior.mean,
            deviation=posterior.deviation,
            count=self.uses(experience, stage),
        )


class _Applied(NamedTuple):
    """An event of the paper's rule with what it replaced."""

    order: tuple[str, str, int, str, int]
    event: tuple[str, Stage, float, tuple[str, int]]
    """experience, stage, reward, step"""
    q: float | None
    speed: Running
    step: tuple[str, int] | None
    normalised: float


class _Sequential:
    """The paper's rule, one event after the other; the last ones can be undone."""

    def __init__(self, alpha: float, initial: float) -> None:
        self._alpha, self._initial = alpha, initial
        self._q: dict[tuple[str, str], float] = {}
        self.uses: dict[tuple[str, str], int] = {}
        self._speed = Running()
        self._step: tuple[str, int] | None = None
        self._normalised = 0.0
        self._log: list[_Applied] = []

    def q(self, experience: str, stage: Stage) -> float:
        return self._q.get((experience, stage), self._initial)

    def take(self, row: Mapping[str, Any]) -> None:
        role: Role = row["role"]
        if role not in ("context", "start"):
            return
        key = (row["experience"], row["stage"])
        self.uses[key] = self.uses.get(key, 0) + 1
        order = replay_order(row)
        later: list[_Applied] = []
        if self._log and order < self._log[-1].order:
            place = bisect(self._log, order, key=lambda applied: applied.order)
            later = self._log[place:]
            for applied in reversed(later):
                self._undo(applied)
            del self._log[place:]
        self._apply(order, (row["experience"], row["stage"], row["reward"], (row["run"], row["step"])))
        for applied in later:
            self._apply(applied.order, applied.event)
        if len(self._log) > 2 * _UNDONE:
            del self._log[:-_UNDONE]

    def _apply(
        self, order: tuple[str, str, int, str, int], event: tuple[str, Stage, float, tuple[str, int]]
    ) -> None:
        experience, stage, reward, step = event
        key = (experience, stage)
        self._log.append(_Applied(order, event, self._q.get(key), self._speed, self._step, self._normalised))
        if stage == "refine":
            # All events of a step share one reward, which is one sample of the statistics.
            if self._step != step:
                self._step, self._speed = step, self._speed.with_(reward)
                self._normalised = self._speed.normalised(reward)
            reward = self._normalised
        q = self._q.get(key, self._initial)
        self._q[key] = q + self._alpha * (reward - q)

    def _undo(self, applied: _Applied) -> None:
        key = applied.event[:2]
        if applied.q is None:
            del self._q[key]
        else:
            self._q[key] = applied.q
        self._speed, self._step, self._normalised = applied.speed, applied.step, applied.normalised


class _Steps:
    """What the steps of one task earned at a stage."""

    __slots__ = ("count", "group", "squares", "total")

    def __init__(self, group: "_Group") -> None:
        self.count, self.total, self.squares, self.group = 0, 0.0, 0.0, group

    @property
    def baseline(self) -> float:
        return self.total / (self.count + _BASELINE_PRIOR)

    @property
    def _spread(self) -> float:
        baseline = self.baseline
        return self.squares - 2 * baseline * self.total + self.count * baseline * baseline

    def add(self, reward: float) -> None:
        before = self._spread
        self.count += 1
        self.total += reward
        self.squares += reward * reward
        self.group.count += 1
        self.group.spread += self._spread - before


class _Group:
    """How far apart the steps of a stage, dialect and family lie from their tasks' baselines."""

    __slots__ = ("count", "spread")

    def __init__(self) -> None:
        self.count, self.spread = 0, 0.0

    @property
    def deviation(self) -> float:
        if self.count < SAMPLES_UNTIL_NORMALISED:
            return _DEVIATION_BEFORE
        return max(math.sqrt(max(self.spread, 0.0) / self.count), DEVIATION_FLOOR)


class _Shares:
    """Credit and credited rewards of many keys, parted by task: chains of numbers, since there are many and most are short."""

    def __init__(self) -> None:
        self._heads: dict[int, int] = {}
        self._task, self._before = array("i"), array("i")
        self._weight, self._total = array("d"), array("d")

    def add(self, key: int, task: int, weight: float, reward: float) -> None:
        head = self._heads.get(key, -1)
        if head < 0 or self._task[head] != task:
            self._heads[key] = len(self._task)
            self._task.append(task)
            self._before.append(head)
            self._weight.append(0.0)
            self._total.append(0.0)
            head = len(self._task) - 1
        self._weight[head] += weight
        self._total[head] += weight * reward

    def sums(self, key: int, tasks: list[_Steps]) -> tuple[float, float]:
        """Credit in all, and the mean advantage in deviations of the group of each task."""
        place = self._heads.get(key, -1)
        weight = total = 0.0
        while place >= 0:
            of, steps = self._weight[place], tasks[self._task[place]]
            advantage = (self._total[place] - of * steps.baseline) / steps.group.deviation
            weight += of
            total += min(max(advantage, -CLIP * of), CLIP * of)
            place = self._before[place]
        return weight, total / weight if weight else 0.0


class _Advantages:
    """Credit-weighted mean advantages at two levels: the experience, and the experience in a family and state."""

    def __init__(self, kappa: float) -> None:
        self._kappa = kappa
        self._tasks: list[_Steps] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._groups: dict[tuple[str, str, str], _Group] = {}
        self._steps: set[int] = set()
        self._shares = _Shares()

    def take(self, row: Mapping[str, Any]) -> None:
        if row["role"] in UPKEEP:
            return
        reward = _parent_reward(row)
        if math.isnan(reward):
            return
        stage, dialect, family = row["stage"], row["dialect"], row["family"]
        task = self._numbers.get((stage, row["task"]))
        if task is None:
            group = self._groups.setdefault((stage, dialect, family), _Group())
            task = self._numbers[stage, row["task"]] = len(self._tasks)
            self._tasks.append(_Steps(group))
        # A step is one sample, however many experiences it credits; a birth is no use of memory.
        step = hash((row["run"], stage, row["step"]))
        if row["role"] != "birth" and step not in self._steps:
            self._steps.add(step)
            self._tasks[task].add(reward)
        weight = row["credit"]
        if weight > 0:
            experience = row["experience"]
            self._shares.add(hash((stage, experience)), task, weight, reward)
            self._shares.add(hash((stage, dialect, family, row["state"], experience)), task, weight, reward)

    def of(self, experience: str, stage: str, dialect: str, family: str, state: str) -> Posterior:
        weight, mean = self._shares.sums(hash((stage, experience)), self._tasks)
        of_cell, cell_mean = self._shares.sums(hash((stage, dialect, family, state, experience)), self._tasks)
        prior = weight * mean / (self._kappa + weight)
        mean = (self._kappa * prior + of_cell * cell_mean) / (self._kappa + of_cell)
        # The prior stands for kappa observations; what was seen in other families and states counts for the
        # mean only in part, so it narrows the posterior in part: as the share that the item's own mean has in
        # the prior.
        elsewhere = (weight - of_cell) * weight / (weight + self._kappa) if weight else 0.0
        return Posterior(mean, 1.0 / math.sqrt(self._kappa + of_cell + max(elsewhere, 0.0)), weight)


def _parent_reward(row: Mapping[str, Any]) -> float:
    """What a role earns under our rule; NaN where nothing was learned."""
    if row["stage"] == "draft" or not row["feasible"]:
        return float(row["reward"])
    gain = row["parent_gain"]
    return math.nan if gain is None else min(max(float(gain), -CLIP), CLIP)
