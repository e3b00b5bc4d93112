"""What another policy would have earned on the choices of a log: inverse propensity estimates.

A step of the log counts by how much likelier the other policy makes its first choice (the null arm is a choice, too) than the
policy did that made it. The others of a context are taken as they were: with five slots the product of five ratios would leave
nothing to see.
"""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import Field, ValidationError

from kernelwright_backends.core.model import Model
from kernelwright_memory.bank.experience import Experience, ExperienceKind, Origin
from kernelwright_memory.bank.policy import Policy, ValueEstimates
from kernelwright_memory.bank.retrieval import Match
from kernelwright_memory.bank.values import Posterior
from kernelwright_memory.generators.base import Stage

CHOICE = "choice-"
"""How the names of records of choices begin."""
_DRAWS = 200
# A step that the logging policy nearly never takes may not decide alone.
_LARGEST_WEIGHT = 20.0
_RESAMPLES = 2000
_CONTENT_BYTES = 1 << 20


class _Choice(Model):
    stage: Stage
    policy: str
    pool: tuple[tuple[str, ExperienceKind, float, float, bool, float, float, float, float], ...]
    null: bool
    chosen: tuple[tuple[str, float], ...]
    propensity: float | None
    reward: float
    task: str


class Estimate(Model):
    """What a policy would have earned a step, by a log that another one wrote."""

    policy: str
    stage: Stage
    steps: int
    effective_steps: float = Field(description="so many steps of its own would say as much")
    reward: float
    low: float = Field(description="of the interval of 95 %, from resampled tasks")
    high: float
    logged_reward: float = Field(description="what the policy of the log earned")


class _Weighed(NamedTuple):
    task: str
    weight: float
    reward: float


def estimate(records: Iterable[str], policy: Policy, stage: Stage, *, seed: int = 0) -> Estimate | None:
    """The self-normalised inverse propensity estimate of a policy's mean reward at a stage.

    Args:
        records: contents of records of choices; those that cannot be read are left out.

    Returns:
        None where the log holds no step of the stage that tells anything.
    """
    weighed = []
    for content in records:
        choice = _read(content)
        if choice is None or choice.stage != stage:
            continue
        logged = choice.propensity if choice.null else choice.chosen[0][1] if choice.chosen else None
        if not logged:
            continue
        taken = "" if choice.null else choice.chosen[0][0]
        likely = _probability(choice, policy, taken, seed)
        weighed.append(_Weighed(choice.task, min(likely / logged, _LARGEST_WEIGHT), choice.reward))
    total = sum(step.weight for step in weighed)
    if not weighed or total <= 0:
        return None
    low, high = _interval(weighed, seed)
    return Estimate(
        policy=policy.name,
        stage=stage,
        steps=len(weighed),
        effective_steps=total**2 / sum(step.weight**2 for step in weighed),
        reward=sum(step.weight * step.reward for step in weighed) / total,
        low=low,
        high=high,
        logged_reward=sum(step.reward for step in weighed) / len(weighed),
    )


def _read(content: str) -> _Choice | None:
    try:
        inflate = zlib.decompressobj()
        said = inflate.decompress(base64.b64decode(content), _CONTENT_BYTES)
        return _Choice.model_validate(json.loads(said))
    except (ValueError, zlib.error, ValidationError):
        return None


def _probability(choice: _Choice, policy: Policy, taken: str, seed: int) -> float:
    """How often the policy takes this first, of so many draws."""
    pool = [
        Match(_named(id, kind), similarity, score, answers)
        for id, kind, similarity, score, answers, *_ in choice.pool
    ]
    values = {
        id: (q, Posterior(mean, deviation, samples)) for id, *_, q, mean, deviation, samples in choice.pool
    }
    estimates = ValueEstimates(choice.stage, lambda id: values[id][0], lambda id: values[id][1])
    if policy.pool_size(len(pool)) == 0:
        return float(taken == "")
    seen: Counter[str] = Counter()
    for draw in range(_DRAWS):
        selection = policy.choose(pool, estimates, np.random.default_rng([seed, draw]))
        first = selection.choices[0].match.experience.id if selection.choices else ""
        seen[first] += 1
    return seen[taken] / _DRAWS


def _named(id: str, kind: ExperienceKind) -> Experience:
    return Experience.model_construct(
        id=id,
        kind=kind,
        dialect="cuda",
        title="",
        text="",
        card="",
        origin=Origin.model_construct(source="run", date=""),
    )


def _interval(weighed: Sequence[_Weighed], seed: int) -> tuple[float, float]:
    """By resampling tasks: steps of one task are not independent."""
    tasks = sorted({step.task for step in weighed})
    weights = np.array([sum(s.weight for s in weighed if s.task == task) for task in tasks])
    earned = np.array([sum(s.weight * s.reward for s in weighed if s.task == task) for task in tasks])
    drawn = np.random.default_rng(seed).integers(len(tasks), size=(_RESAMPLES, len(tasks)))
    totals = weights[drawn].sum(axis=1)
    means = earned[drawn].sum(axis=1)[totals > 0] / totals[totals > 0]
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))
