"""Paired tests over tasks: sign flips, Holm, and BCa intervals."""

from collections.abc import Mapping
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
FLIPS, RESAMPLES = 100_000, 10_000


def sign_flip(differences: Numbers, seed: int) -> tuple[float, float]:
    """p of a mean this far below 0, and this far from 0, if each difference could as well have the other sign."""
    draw = np.random.default_rng(seed)
    signs = draw.choice(np.array([-1.0, 1.0]), (FLIPS, len(differences)))
    means, seen = signs @ differences / len(differences), differences.mean()
    below = int(np.count_nonzero(means <= seen + 1e-15))
    beyond = int(np.count_nonzero(np.abs(means) >= abs(seen) - 1e-15))
    return (1 + below) / (1 + FLIPS), (1 + beyond) / (1 + FLIPS)


def holm(values: Mapping[str, float]) -> dict[str, float]:
    """p values adjusted for so many tests."""
    adjusted, least = {}, 0.0
    for place, name in enumerate(sorted(values, key=lambda n: values[n])):
        least = max(least, min(1.0, (len(values) - place) * values[name]))
        adjusted[name] = least
    return adjusted


def bca(samples: Numbers, seed: int, level: float = 0.95) -> tuple[float, float]:
    """The bias-corrected and accelerated bootstrap interval of the mean."""
    draw, normal, count = np.random.default_rng(seed), NormalDist(), len(samples)
    if np.ptp(samples) == 0:
        return float(samples[0]), float(samples[0])
    means = np.sort(samples[draw.integers(count, size=(RESAMPLES, count))].mean(axis=1))
    below = (
        np.count_nonzero(means < samples.mean()) + 0.5 * np.count_nonzero(means == samples.mean())
    ) / RESAMPLES
    bias = normal.inv_cdf(min(max(below, 0.5 / RESAMPLES), 1 - 0.5 / RESAMPLES))
    without = (samples.sum() - samples) / (count - 1)
    off = without.mean() - without
    acceleration = float((off**3).sum() / (6 * max(float((off**2).sum()) ** 1.5, 1e-300)))

    def end(share: float) -> float:
        z = bias + normal.inv_cdf(share)
        at = normal.cdf(bias + z / (1 - acceleration * z))
        return float(np.quantile(means, at))

    return end((1 - level) / 2), end((1 + level) / 2)
