"""What the memory answers: a context with why it was chosen, an experience with what it is worth, counts."""

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import Field

from kernelwright_backends.core.model import Model
from kernelwright_memory.bank.experience import Experience
from kernelwright_memory.bank.parameters import Outlook
from kernelwright_memory.bank.policy import Choice, ValueEstimates
from kernelwright_memory.bank.retrieval import Match
from kernelwright_memory.bank.reward import Role
from kernelwright_memory.bank.values import Value
from kernelwright_memory.generators.base import Stage


class Retrieval(NamedTuple):
    """What a step gets from the memory."""

    choices: tuple[Choice, ...] = ()
    values: tuple[Value, ...] = ()
    """One for each choice."""
    apis: tuple[Experience, ...] = ()
    null: bool = False
    propensity: float = 1.0
    """Of the null arm, where `null`."""
    pool: tuple[Match, ...] = ()
    """What came into question."""
    estimates: ValueEstimates | None = None
    """As they were when this was chosen."""
    standings: Mapping[str, float] = MappingProxyType({})
    """By id, of the kernels among `choices`: log of their latency over the best known of their task and target."""
    outlook: Outlook | None = None

    @property
    def context(self) -> tuple[Experience, ...]:
        return (*(choice.match.experience for choice in self.choices), *self.apis)


class ExperienceView(Model):
    """One experience with what it is worth at both stages."""

    experience: Experience
    values: tuple[Value, ...]
    checked: str | None = None
    """when it was last verified again"""
    retired: bool = False
    """that check refused it: it is no longer retrieved"""
    unverified: bool = False
    """it was imported, and nothing here has confirmed it yet: it is not retrieved"""


class Credit(Model):
    """What an experience was credited for: one step that it had a part in."""

    date: str
    run: str
    step: int
    stage: Stage
    task: str = Field(description="hash of the task")
    family: str
    state: str
    role: Role
    policy: str
    propensity: float
    share: float = Field(description="of the step's reward")
    feasible: bool
    reward: float
    ratio: float | None = Field(
        description="latency of the start point over the candidate's; 1: no significant difference"
    )
    model: str

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "Credit":
        names = ("date", "run", "step", "stage", "task", "family", "state", "role", "policy", "propensity", "feasible",
                 "reward", "model")  # fmt: skip
        gain = row["parent_gain"]
        return cls(
            **{name: row[name] for name in names},
            share=row["credit"],
            ratio=None if gain is None else math.exp(gain),
        )


class Counts(Model):
    """How many were in a file, and how many of the experiences were new here."""

    experiences: int
    rewards: int
    new: int
    records: int = 0


class Check(NamedTuple):
    """When an experience was verified again, and what came of it."""

    date: str
    passed: bool
    latency_us: float | None
    latency_source: str | None
    target: str


def now() -> str:
    """The date as it is stored: ISO 8601, UTC, with microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
