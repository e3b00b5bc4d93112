"""Fit the constants of a chip's table to measured ladders, and say how well that carries over to other operators.

    python benchmarks/accuracy/calibrate.py COUNTERS.json [--folder FOLDER] [--folds 6] [--blind RESULT.json ...]

FOLDER as for benchmarks/estimate.py, COUNTERS.json what its `--keep` wrote. Every constant keeps near the value that stands
in the table or the module, as far as its source can be trusted: that is the prior. Kernels of operators that are held back
take no part. Cross-validation leaves out whole operators, one fold of them at a time. Prints the constants, the scores of the
kernels left out, and the weights of what makes an estimate doubtful: fitted so that the interval holds nine of ten kernels that
were left out, every operator counting the same. Residuals of predictions that were written down before anybody measured their
kernels (`--blind RESULT.json`, of operators that are not held) count among them. Writes nothing.
"""

import argparse
import importlib
import json
import math
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import ladders as measured_ladders
from lib import record
from lib.latency_scores import figures

from kernelwright_backends.core.target import Target
from kernelwright_backends.cuda.cost.chip import Chip, find_chip
from kernelwright_backends.cuda.cost.counters import Trace

_MODULES = {
    name: importlib.import_module(f"kernelwright_backends.cuda.cost.{name}")
    for name in ("launch", "memory", "estimate", "atomics")
}
# How far, as a logarithm, each constant may be off what stands there: little where it was measured by itself.
_TRUST = {
    "launch._THROUGHPUT_NORM": 0.6, "launch._LAUNCH_NORM": 0.4, "launch._INTEGER_SHARE": 0.1, "launch._LOGIC_SHARE": 0.3,
    "launch._START_INSTRUCTIONS": 0.15, "launch._SHORT_BODY": 0.1, "launch._UNROLLED_BODY": 0.2, "launch._SLOWEST": 0.3,
    "atomics._ADDRESSES_AT_ONCE": 0.2, "launch._CONSTANT_WORD": 0.3,
    "launch._CONSTANT_LOAD": 0.1, "launch._CONSTANT_MISS": 0.2, "launch._CONSTANT_LINE": 0.3,
    "launch._ADDRESS_SHARE": 0.2, "launch._FURTHER_LINE": 0.15, "launch._PARTIAL_STORE": 0.3, "atomics.same_whole_ns": 0.1,
    "launch._BARRIER_SHARE": 0.4, "launch._STRAIGHT": 0.7, "launch._SHARED_ATOMIC_WAVEFRONTS": 0.4, "overlap.0": 0.4,
    "overlap.1": 0.4, "overlap.2": 0.4, "memory._ALONE": 0.3, "memory._PARTIAL_EVICTION_BYTES": 0.3,
    "processor.issue_per_clock": 0.07, "processor.lines_per_clock": 0.04, "memory.dram_bytes_per_us": 0.05,
    "memory.l2_read_bytes_per_us": 0.05, "memory.l2_write_bytes_per_us": 0.1,
    "memory.l2_port_bytes_per_clock": 0.2, "memory.l2_bytes": 0.06, "memory.dirty_bytes": 0.2,
    "atomics.sectors_per_us": 0.1, "atomics.sector_of_line_ns": 0.1, "latency.block": 0.5, "latency.warp": 0.6,
    "latency.l1": 0.1, "latency.l2": 0.1, "latency.dram": 0.02, "latency.instruction": 0.12, "latency.barrier_warp": 0.4,
    "latency.shuffle": 0.15, "latency.multiply_adds": 0.3, "latency.shared_load": 0.4, "latency.shared_run": 0.2,
    "launch.first_us": 0.02, "launch.next_us": 0.05, "launch.block_ns": 0.04,
}  # fmt: skip
_SPREAD = 0.2  # of a kernel's residual, as a logarithm
_OUTLYING = 0.15  # beyond, residuals count linearly
_INSIDE = 0.9  # of kernels, in the interval


class Ladders:
    """Measured kernels, their traces, and the model with any constants."""

    def __init__(self, folder: Path, counters: Mapping[str, Any]) -> None:
        file = next(iter(sorted(folder.glob("measured_*.json"))))
        told = json.loads(file.read_text(encoding="utf-8"))
        chip = find_chip(Target.parse(f"cuda:{file.stem.removeprefix('measured_')}@cpu"))
        assert chip is not None
        self.chip = chip
        self.held = frozenset(told["held"])
        self.measured = {f"{r['group']}/{r['variant']}": r["median_us"] for r in told["kernels"]}
        self.traces = {
            name: Trace.read({k: v for k, v in kept["counters"].items() if k != "nvcc"})
            for name, kept in counters.items()
            if "counters" in kept and name in self.measured
        }
        self.start = {key: self._value(key) for key in _TRUST}

    def _value(self, key: str) -> float:
        place, name = key.split(".")
        if place == "overlap":
            return float(_MODULES["launch"]._OVERLAP[int(name)][1])
        if name.startswith("_"):
            return float(getattr(_MODULES[place], name))
        return float(getattr(getattr(self.chip, place), name))

    def made(self, constants: Mapping[str, float]) -> Chip:
        """The table with other constants; those of the modules are set in them."""
        table = self.chip.model_dump()
        for key, value in constants.items():
            place, name = key.split(".")
            if place == "overlap":
                steps = list(_MODULES["launch"]._OVERLAP)
                steps[int(name)] = (steps[int(name)][0], value)
                _MODULES["launch"]._OVERLAP = tuple(steps)  # type: ignore[attr-defined]
            elif name.startswith("_"):
                setattr(_MODULES[place], name, value)
            else:
                table[place][name] = round(value) if name.endswith("_bytes") else value
        return Chip.model_validate(table)

    def estimates(self, names: Sequence[str], chip: Chip) -> dict[str, float]:
        return {name: _MODULES["estimate"]._latency(self.traces[name], chip) for name in names}

    def fit(self, names: Sequence[str], start: Mapping[str, float], rounds: int) -> dict[str, float]:
        """The constants with the least robust squared residuals of `names` and distance from the start, by Gauss and
        Newton with damping. Every operator weighs as the root of its kernels."""
        keys = list(_TRUST)
        prior = np.log([self.start[key] for key in keys])
        trust = np.array([_TRUST[key] for key in keys])
        x = np.log([start[key] for key in keys])
        groups = [name.split("/")[0] for name in names]
        weights = np.array([1 / math.sqrt(groups.count(group)) for group in groups])
        weights /= weights.mean()
        truth = np.log([self.measured[name] for name in names])

        def residuals(at: Any) -> Any:
            chip = self.made(dict(zip(keys, np.exp(at).tolist(), strict=True)))
            made = self.estimates(names, chip)
            return np.log([made[name] for name in names]) - truth

        def cost(r: Any, at: Any) -> float:
            size = np.abs(r)
            robust = np.where(size < _OUTLYING, 0.5 * r * r, _OUTLYING * (size - 0.5 * _OUTLYING))
            return float((weights * robust).sum() / _SPREAD**2 + 0.5 * (((at - prior) / trust) ** 2).sum())

        r = residuals(x)
        least, damping = cost(r, x), 1e-2
        for _ in range(rounds):
            slopes = np.empty((len(names), len(keys)))
            for number in range(len(keys)):
                moved = x.copy()
                moved[number] += 0.02
                slopes[:, number] = (residuals(moved) - r) / 0.02
            weighed = weights * np.minimum(1, _OUTLYING / np.maximum(np.abs(r), 1e-9)) / _SPREAD**2
            square = slopes.T @ (slopes * weighed[:, None]) + np.diag(1 / trust**2)
            gradient = slopes.T @ (weighed * r) + (x - prior) / trust**2
            for _ in range(5):
                step = -np.linalg.solve(square + damping * np.diag(np.diag(square)), gradient)
                tried = x + np.clip(step, -0.4, 0.4)
                tried_r = residuals(tried)
                reached = cost(tried_r, tried)
                if reached < least:
                    break
                damping *= 4
            else:
                break
            gain, x, r, least = least - reached, tried, tried_r, reached
            damping = max(damping / 3, 1e-4)
            if gain < 0.05:
                break
        return dict(zip(keys, np.exp(x).tolist(), strict=True))


def cross_validate(
    ladders: Ladders, names: Sequence[str], full: Mapping[str, float], folds: int
) -> dict[str, float]:
    """Estimates of all kernels, each with constants that no kernel of its operator had a part in."""
    operators = sorted({name.split("/")[0] for name in names})
    random.Random(1).shuffle(operators)
    left_out: dict[str, float] = {}
    for number in range(folds):
        fold = operators[number::folds]
        rest = [name for name in names if name.split("/")[0] not in fold]
        chip = ladders.made(ladders.fit(rest, full, 2))
        left_out |= ladders.estimates([name for name in names if name.split("/")[0] in fold], chip)
    return left_out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("counters", type=Path)
    parser.add_argument("--folder", type=Path, help="of ladders; without it those of an H200")
    parser.add_argument("--folds", type=int, default=6)
    parser.add_argument("--blind", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    ladders = Ladders(
        options.folder or measured_ladders.unpacked(),
        json.loads(options.counters.read_text(encoding="utf-8")),
    )
    names = [name for name in sorted(ladders.traces) if name.split("/")[0] not in ladders.held]
    full = ladders.fit(names, ladders.start, 4)
    for key, value in full.items():
        moved = math.log(value / ladders.start[key]) / _TRUST[key]
        print(f"{key:40s} {ladders.start[key]:12.4g} -> {value:12.4g}   {moved:+.2f} of its trust")
    left_out = cross_validate(ladders, names, full, options.folds)
    print(json.dumps(figures(ladders.measured, left_out), indent=1))
    chip = ladders.made(full)
    off = {name: abs(math.log(left_out[name] / ladders.measured[name])) for name in names}
    for file in options.blind:
        rows = record.read(file)["rows"]
        off |= {
            row["kernel"]: max(abs(math.log(row["factor"])), off.get(row["kernel"], 0.0))
            for row in rows
            if "factor" in row and row["kernel"] in names
        }
    told = {name: _MODULES["estimate"].signs_of_uncertainty(ladders.traces[name], chip) for name in names}
    weights = fit_doubt(told, off)
    for sign, weight in weights.items():
        print(f"{sign:12s} {weight:7.3f}")
    inside = [off[n] <= sum(weights[s] * v for s, v in told[n].items()) for n in names]
    print(f"{sum(inside) / len(inside):.3f} of the kernels left out are inside")


def fit_doubt(told: Mapping[str, Mapping[str, float]], off: Mapping[str, float]) -> dict[str, float]:
    """Weights of the signs of doubt whose sum is the 0.9 quantile of how far estimates are off, as a logarithm: the least sum
    of tilted distances, each operator counting the same, by steps down its slope; then all raised together until as many
    operators' kernels are inside as n + 1 of them would ask for."""
    names = sorted(off)
    signs = sorted({sign for of in told.values() for sign in of}, key=lambda sign: (sign != "always", sign))
    x = np.array([[told[name].get(sign, 0.0) for sign in signs] for name in names])
    y = np.array([off[name] for name in names])
    groups = [name.split("/")[0] for name in names]
    weight = np.array([1 / groups.count(group) for group in groups])
    weight /= weight.sum()
    w = np.zeros(len(signs))
    w[0] = 0.3
    for step in range(20000):
        above = y - x @ w > 0
        slope = -(weight * np.where(above, _INSIDE, _INSIDE - 1)) @ x + 0.01 * w * (np.arange(len(w)) > 0)
        w -= 0.3 / (1 + step / 200) * slope
        w = np.where([sign == "handed" for sign in signs], np.minimum(w, 0), np.maximum(w, 0))
    # Conformal: of n operators and one more, which is as likely to be any in their order.
    count = len(set(groups))
    wanted = min(1.0, _INSIDE * (count + 1) / count)
    by_width = np.argsort(y / np.maximum(x @ w, 1e-6))
    reached = np.cumsum(weight[by_width])
    last = by_width[min(len(names) - 1, int(np.searchsorted(reached, wanted)))]
    return dict(zip(signs, (w * max(1.0, y[last] / (x[last] @ w))).round(3).tolist(), strict=True))


if __name__ == "__main__":
    main()
