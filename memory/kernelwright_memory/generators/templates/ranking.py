"""Which of a template's variants is tried next: what is expected of each, from its estimate, from what is known of parameters,
and from what was tried in this run.

A variant that was tried says something of those that share its parameters: a Gaussian process over the parameters, whose mean is
the expectation, within one task. Next comes the one with the largest expected improvement, so that what nobody can say anything of
is tried before what is surely no better.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kernelwright_memory.bank.parameters import Outlook, features
from kernelwright_memory.generators.base import GenerationRequest

# Ours: how far variants lie from what is expected of them, how far where nothing estimates them, and how much of that no
# parameter explains.
_DEVIATION = 0.3
_WITHOUT_ESTIMATE = 0.5
_NOISE = 0.1
_OF_TASK = 2.0
# A variant that is not feasible counts as twice as slow as the slowest that is.
_FAILED = math.log(2)
# From the first to the last of the order that lints, bottleneck and family give.
_ORDER = 0.1
# What a variant of unknown worth loses against the best of its task.
_TYPICAL_LOSS = 0.2


def order(
    request: GenerationRequest, variants: Sequence[Mapping[str, Any]], places: Sequence[int]
) -> list[int]:
    """Places of the variants, the most promising first.

    Args:
        places: of each variant in the order that is taken where nothing else is known.
    """
    means, deviations, best = _expected(request, variants, places)
    count = len(variants)
    if best is None:
        return sorted(range(count), key=lambda n: (means[n], places[n]))
    gains = [_improvement(best - means[n], deviations[n]) for n in range(count)]
    return sorted(range(count), key=lambda n: (-gains[n], means[n], places[n]))


def _improvement(gain: float, deviation: float) -> float:
    """What is gained on average over the best so far, nothing where it is slower."""
    z = gain / deviation
    return gain * 0.5 * (1 + math.erf(z / math.sqrt(2))) + deviation * math.exp(-z * z / 2) / math.sqrt(
        2 * math.pi
    )


def _expected(
    request: GenerationRequest, variants: Sequence[Mapping[str, Any]], places: Sequence[int]
) -> tuple[list[float], list[float], float | None]:
    """Mean and deviation of each variant's log latency up to a constant of the task, and that of the best so far, if any."""
    outcomes = [(p, us) for p, us in request.outcomes if p.get("template") == _template(variants)]
    known = [*variants, *(p for p, _ in outcomes if p not in variants)]
    estimates = _estimates(request, known)
    told = [math.log(us) for us in estimates if us is not None]
    level = sum(told) / len(told) if told else 0.0
    outlook = request.outlook or Outlook()
    last = max(len(variants) - 1, 1)
    # Of a task whose other variants are estimated, those that are not are a kind of their own.
    prior = np.array(
        [
            level
            if us is None and told
            else (math.log(us) if us else 0.0) + outlook.of(p, estimated=us is not None)
            for p, us in zip(known, estimates, strict=True)
        ]
    )
    for number, place in enumerate(places):
        prior[number] += (1e-6 if told else _ORDER) * place / last
    if not outlook.observations:
        prior += [_remembered(request, p) for p in known]
    tried, latencies = [], []
    feasible = [math.log(us) for _, us in outcomes if us]
    for parameters, us in outcomes:
        if us or feasible:
            tried.append(known.index(parameters))
            latencies.append(math.log(us) if us else max(feasible) + _FAILED)
    count = len(variants)
    if not tried:
        return prior[:count].tolist(), [1.0] * count, None
    covariance = _covariance(known, [us is not None for us in estimates])
    between = covariance[np.ix_(tried, tried)] + _NOISE**2 * np.eye(len(tried))
    shares = np.linalg.solve(between, covariance[tried])
    means = prior + shares.T @ (np.array(latencies) - prior[tried])
    variances = np.diag(covariance) - (covariance[:, tried] * shares.T).sum(axis=1)
    deviations = np.sqrt(np.maximum(variances, 0.0) + _NOISE**2)
    return means[:count].tolist(), deviations[:count].tolist(), min(feasible)


def _template(variants: Sequence[Mapping[str, Any]]) -> Any:
    return variants[0].get("template") if variants else None


def _estimates(request: GenerationRequest, variants: Sequence[Mapping[str, Any]]) -> list[float | None]:
    found = []
    for variant in variants:
        us = next((us for parameters, us in request.estimated if parameters == variant), None)
        found.append(us if us and us > 0 else None)
    return found


def _remembered(request: GenerationRequest, parameters: Mapping[str, Any]) -> float:
    """What kernels of the same parameters lost against the best of their own tasks, more believed the more there are."""
    lost = [
        request.standings[e.id]
        for e in request.context
        if e.id in request.standings and e.parameters == parameters
    ]
    return sum(loss - _TYPICAL_LOSS for loss in lost) / (len(lost) + 0.25) if lost else 0.0


def _covariance(variants: Sequence[Mapping[str, Any]], estimated: Sequence[bool]) -> Any:
    """Of the latencies of variants: the more parameters two share, the closer they lie."""
    sets = [{name for name, _ in features(p, estimated=True) if "=" in name} for p in variants]
    alike = np.array([[len(a & b) / max(len(a | b), 1) for b in sets] for a in sets]) ** 2
    without = ~np.array(estimated)
    return _DEVIATION**2 * alike + _WITHOUT_ESTIMATE**2 * np.outer(without, without) + _OF_TASK**2
