"""What is known of the parameters of templates: how much faster or slower each makes a kernel, learned over all tasks.

Each remembered kernel of a template is one observation: its latency beside those of the other kernels of its task on its target.
Where an estimate of it is known, what is learned is where the estimate errs. The sums are those of a linear regression with a
prior at zero, within tasks: tasks differ by orders of magnitude, and only what differs within one teaches anything.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from kernelwright_backends.core.model import Model

# Ours: a value of one parameter makes a tenth of difference before anything is known, and so much is left unexplained, since the kernels of one task err
# together.
_PRIOR_DEVIATION = 0.1
_NOISE = 0.3


class Outlook(Model):
    """What is expected of parameters, as log latency against the other variants of a task."""

    weights: dict[str, float] = Field(
        default_factory=dict,
        description="of each feature; a feature of the other kind of observation begins with =",
    )
    observations: int = 0

    def of(self, parameters: Mapping[str, Any], *, estimated: bool) -> float:
        """log of the latency that these parameters bring, without what is the task's; `estimated`: of latency over estimate."""
        return sum(
            self.weights.get(name, 0.0) * value for name, value in features(parameters, estimated=estimated)
        )


def features(parameters: Mapping[str, Any], *, estimated: bool) -> Iterator[tuple[str, float]]:
    """Names and values of what a variant is: each parameter's value, and the logarithm of numbers."""
    template = parameters.get("template", "")
    mark = "" if estimated else "="
    for name, value in _flat(parameters):
        yield f"{mark}{template}:{name}={value}", 1.0
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            yield f"{mark}{template}:log {name}", math.log2(value) / 2


def _flat(parameters: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in sorted(parameters.items()):
        if name == "others" and isinstance(value, Mapping):
            # Other steps are named by what they store, which is the task's own; their parameters are not.
            for step in value.values():
                yield from _flat(step, "other ")
        elif name != "template":
            yield f"{prefix}{name}", value


class _Task:
    """Means of the observations of one task."""

    __slots__ = ("count", "features", "latency")

    def __init__(self) -> None:
        self.count, self.latency = 0, 0.0
        self.features: dict[int, float] = {}


class _Template:
    """Sums of one template."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.products: NDArray[np.float64] = np.zeros((0, 0))
        self.moments: NDArray[np.float64] = np.zeros(0)
        self.solved: dict[str, float] | None = None
        self.observations = 0

    def add(self, found: list[tuple[str, float]], latency: float, task: _Task) -> None:
        new = {self.names.setdefault(name, len(self.names)): value for name, value in found}
        self._grow()
        # One more observation of a task moves the sums within it by this much.
        places = list(new.keys() | task.features.keys())
        off = np.array([new.get(p, 0.0) - task.features.get(p, 0.0) for p in places])
        share = task.count / (task.count + 1)
        self.products[np.ix_(places, places)] += share * np.outer(off, off)
        self.moments[places] += share * (latency - task.latency) * off
        task.count += 1
        task.latency += (latency - task.latency) / task.count
        for place, value in zip(places, off, strict=True):
            task.features[place] = task.features.get(place, 0.0) + float(value) / task.count
        self.observations += 1
        self.solved = None

    def weights(self) -> dict[str, float]:
        if self.solved is None:
            size = len(self.moments)
            precision = self.products / _NOISE**2 + np.eye(size) / _PRIOR_DEVIATION**2
            found = np.linalg.solve(precision, self.moments / _NOISE**2) if size else np.zeros(0)
            self.solved = {name: float(found[place]) for name, place in self.names.items()}
        return self.solved

    def _grow(self) -> None:
        before, size = len(self.moments), len(self.names)
        if size > before:
            self.products = np.pad(self.products, (0, size - before))
            self.moments = np.pad(self.moments, (0, size - before))


class Observation(NamedTuple):
    """A remembered kernel of a template."""

    dialect: str
    task: str
    target: str
    parameters: Mapping[str, Any]
    latency_us: float
    estimate_us: float | None = None


class Parameters:
    """What all observations say, template by template. An observation costs the same however many there are."""

    def __init__(self) -> None:
        self._templates: dict[tuple[str, str], _Template] = {}
        self._tasks: dict[int, _Task] = {}

    def add(self, seen: Observation) -> None:
        template = seen.parameters.get("template")
        if not isinstance(template, str) or seen.latency_us <= 0:
            return
        estimated = seen.estimate_us is not None and seen.estimate_us > 0
        latency = math.log(seen.latency_us / (seen.estimate_us if estimated and seen.estimate_us else 1.0))
        sums = self._templates.setdefault((seen.dialect, template), _Template())
        task = self._tasks.setdefault(
            hash((seen.dialect, template, seen.task, seen.target, estimated)), _Task()
        )
        sums.add(list(features(seen.parameters, estimated=estimated)), latency, task)

    def outlook(self, dialect: str) -> Outlook:
        """What is expected of the parameters of all templates of a dialect."""
        weights: dict[str, float] = {}
        observations = 0
        for (of, _), template in self._templates.items():
            if of == dialect:
                weights |= template.weights()
                observations += template.observations
        return Outlook(weights=weights, observations=observations)
