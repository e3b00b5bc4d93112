"""What the tolerance of outputs of 8 and 16 bits and of integers lets pass: right and wrong kernels of common operators, judged by the
verifier's own judge on the trials of the verifier's own reference, and some of them end to end as CUDA kernels.

    python benchmarks/tolerance.py [--only NAME ...] [--no-kernels] [-o FILE.json]

A right kernel counts as refused if any trial refuses it, a wrong one as passed if all trials let it pass. Writes
`results/tolerance.json`: `wrong_count`, `wrong_passed`, `legitimate_count`, `legitimate_refused`. The exit status is 1 where a wrong one
passes or a right one is refused.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from lib import record
from lib.tolerance_cases import Kernel, Operator, Tensors, operators
from lib.tolerance_kernels import judged_kernels

from kernelwright_verifier.gates.correctness.judge import compare
from kernelwright_verifier.gates.correctness.stages import TRIALS, trial_seed
from kernelwright_verifier.reference.client import Reference
from kernelwright_verifier.reference.trial import Trial, read_stretch
from kernelwright_verifier.sandbox import open_confinement
from kernelwright_verifier.task.task import Task

SEED = 20261127


def tensors_of(trial: Trial) -> Tensors:
    """What a kernel is given, as torch holds it."""
    given = {}
    for name, tensor in trial.tensors.items():
        dtype = getattr(torch, tensor.dtype)
        size = tensor.numel * dtype.itemsize
        raw = bytearray(b"".join(read_stretch(trial.mapping, tensor.offset, size)))
        given[name] = torch.frombuffer(raw, dtype=dtype).as_strided(tensor.shape, tensor.strides)
    return given


def judged(kernel: Kernel, trials: Sequence[Trial]) -> tuple[bool, str]:
    """Whether all trials let a kernel pass, and what the first that does not says."""
    for trial in trials:
        with torch.no_grad():
            result = kernel(tensors_of(trial)).contiguous()
        expected = trial.expected[0]
        content = bytes(result.flatten().view(torch.uint8).numpy())
        dtype = str(result.dtype).removeprefix("torch.")
        found = compare(content, dtype, tuple(result.shape), expected, trial.mapping, explained=False)
        if not found.ok:
            return False, f"{trial.family}: {found.text}"
    return True, ""


async def rows_of(operator: Operator, reference: Reference) -> list[dict[str, Any]]:
    task = Task(path=Path("/task") / "task.py", text=operator.text)
    description = await reference.describe(task, "full")
    families = [(n, t.family) for n, t in enumerate(TRIALS) if t.repeats is None]
    trials = [
        await reference.trial(task, description, seed=trial_seed(SEED, n), family=family)
        for n, family in families
    ]
    rows = []
    for kind, kernels in (("right", operator.right), ("wrong", operator.wrong)):
        for name, kernel in kernels.items():
            passed, text = judged(kernel, trials)
            rows.append(
                {"operator": operator.name, "kernel": name, "kind": kind, "passed": passed, "text": text}
            )
    return rows


async def all_rows(only: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        async with Reference(None, open_confinement("auto"), cache=Path(folder), jobs=1) as reference:
            for operator in operators():
                if not only or any(word in operator.name for word in only):
                    found = await rows_of(operator, reference)
                    rows += found
                    print(
                        operator.name,
                        *(amiss(row) for row in found if row["passed"] == (row["kind"] == "wrong")),
                        sep="\n  ",
                    )
    return rows


def amiss(row: dict[str, Any]) -> str:
    return f"{row['kind']} {row['kernel']} {'passes' if row['passed'] else 'is refused'} {row['text'][:300]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--no-kernels", action="store_true")
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows = asyncio.run(all_rows(arguments.only))
    if not arguments.no_kernels:
        rows += judged_kernels(arguments.only)
    wrong, right = ([row for row in rows if row["kind"] == kind] for kind in ("wrong", "right"))
    figures = {
        "wrong_count": len(wrong),
        "wrong_passed": sum(row["passed"] for row in wrong),
        "legitimate_count": len(right),
        "legitimate_refused": sum(not row["passed"] for row in right),
        "kernels_end_to_end": sum(row.get("end_to_end", False) for row in rows),
    }
    print(figures)
    if not arguments.only:
        record.write(
            "tolerance", seed=SEED, figures=figures, rows=rows, file=arguments.output, compressed=True
        )
    return int(bool(figures["wrong_passed"] or figures["legitimate_refused"]))


if __name__ == "__main__":
    sys.exit(main())
