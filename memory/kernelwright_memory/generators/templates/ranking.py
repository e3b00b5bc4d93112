"""Which of a template's variants is tried next: what is expected of each, from its estimate, from what is known of parameters,
and from what was tried in this run.

A variant that was tried says something of those that share its parameters: a Gaussian process over the parameters, whose mean is
the expectation, within one task.
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
_ORDER = 0.3
# What a variant of unknown worth loses against the best of its task.
_TYPICAL_LOSS = 0.2


def expectations(
    request: GenerationRequest, variants: Sequence[Mapping[str, Any]], places: Sequence[int]
) -> list[float]:
    """What is expected of each variant's latency, as a logarithm up to a constant of the task.

    Args:
        places: of each variant in the order that is taken where nothing else is known.
    """
    outcomes = [(p, us) for p, us in request.outcomes if p.get("template") == _template(variants)]
    known = [*variants, *(p for p, _ in outcomes if p not in variants)]
    estimates = _estimates(request, known)
    told = [math.log(us) for us in estimates if us is not None]
    level = sum(told) / len(told) if told else 0.0
    outlook = request.outlook or Outlook()
    last = max(len(variants) - 1, 1)
    prior = np.array(
        [
            (math.log(us) if us is not None else level) + outlook.of(p, estimated=us is not None)
            for p, us in zip(known, estimates, strict=True)
        ]
    )
    for number, place in enumerate(places):
        prior[number] += (1e-6 if estimates[number] is not None else _ORDER) * place / last
    if not outlook.observations:
        prior += [_remembered(request, p) for p in known]
    tried, latencies = [], []
    feasible = [math.log(us) for _, us in outcomes if us]
    for parameters, us in outcomes:
        if us or feasible:
            tried.append(known.index(parameters))
            latencies.append(math.log(us) if us else max(feasible) + _FAILED)
    if not tried:
        return [float(mean) for mean in prior[: len(variants)]]
    covariance = _covariance(known, [us is not None for us in estimates])
    between = covariance[np.ix_(tried, tried)] + _NOISE**2 * np.eye(len(tried))
    weights = np.linalg.solve(between, np.array(latencies) - prior[tried])
    means = prior + covariance[:, tried] @ weights
    return [float(mean) for mean in means[: len(variants)]]


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
