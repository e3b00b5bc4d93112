"""Runs the trials of one size and judges them."""

import asyncio
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from kernelwright_backends.finding import Finding, Severity
from kernelwright_backends.model import Model
from kernelwright_backends.target import Target
from kernelwright_backends.toolchain import (
    BuildResult,
    Confinement,
    Limits,
    RunRequest,
    RunResult,
    TensorData,
    Toolchain,
    Writer,
)
from kernelwright_verifier.binding import Binding
from kernelwright_verifier.gates.correctness.feedback import (
    Judged,
    mismatch_finding,
    not_written_finding,
    run_findings,
    shape_findings,
)
from kernelwright_verifier.gates.correctness.layout import LaidOutTrial, Layout, span_bytes
from kernelwright_verifier.gates.hack import RunEvidence, probes
from kernelwright_verifier.plan import Plan
from kernelwright_verifier.processes.judge import compare
from kernelwright_verifier.processes.reference import Screen, Trial
from kernelwright_verifier.task import TaskDescription
from kernelwright_verifier.workload import is_copy

# The task's own inputs, and what shows constants, dropped branches, a missing epsilon, truncated series, sparse reading,
# ignored parameters.
FAMILIES = ("given", "shifted", "tiny", "negative", "large", "onehot", "shifted")
_MASK = (1 << 31) - 1


def trial_seeds(seed: int) -> tuple[int, ...]:
    """The seeds of the trials, from the judge's one seed."""
    return tuple((seed * 0x9E3779B1 + position * 0x85EBCA77 + 1) & _MASK for position in range(len(FAMILIES)))


class Outcome(Model):
    """What the trials of one size showed."""

    findings: tuple[Finding, ...]
    evidence: RunEvidence
    judged: bool = True
    """False: the candidate could not be judged, by our fault"""
    max_error: float | None = None
    log: str = ""
    steps_s: dict[str, float] = {}

    @property
    def passed(self) -> bool:
        return self.judged and not any(f.severity is Severity.ERROR for f in self.findings)


async def run_trials(
    plan: Plan,
    binding: Binding,
    description: TaskDescription,
    trials: tuple[Trial, ...],
    built: BuildResult,
    toolchain: Toolchain,
    target: Target,
    confinement: Confinement,
    limits: Limits,
    reproduce: str,
    screen: Screen | None = None,
    probing: bool = False,
) -> Outcome:
    """Run the candidate on every trial in one runner, and compare; `probing` adds the calls of the hack gate.

    Trials of odd number run under a seeded schedule of warps and lanes, the others in natural order.

    Raises:
        ConfinementError: nothing here can confine the runner.
        ExpressionError: a scalar of the directive cannot be evaluated at these sizes.
    """
    with tempfile.TemporaryDirectory(prefix="kernelwright-run-") as folder:
        mapping = Path(folder) / "tensors.bin"
        started = time.monotonic()
        layout = Layout(binding, description)
        laid = tuple(
            layout.add(trial, schedule_seed=number if number % 2 else 0)
            for number, trial in enumerate(trials)
        )
        asked: tuple[probes.Probe, ...] = ()
        if probing:
            laid = probes.at_one_place(laid)
            asked = probes.planned(trials, laid, layout, screen)
        await asyncio.to_thread(layout.write, mapping)
        laid_out = time.monotonic()
        calls = (*(t.call for t in laid), *(p.placed.call for p in asked))
        request = RunRequest(mapping=mapping, calls=calls, mode="check", limits=limits)
        result = await toolchain.run(built, request, target, confinement)
        ran = time.monotonic()
        outcome = await asyncio.to_thread(_judge, plan, description, trials, laid, result, mapping, reproduce)
        if probing and outcome.judged:
            evidence = await asyncio.to_thread(
                probes.added,
                outcome.evidence,
                asked,
                result,
                trials,
                laid,
                mapping,
                screen,
                _right_so_far(outcome, result, len(trials)),
            )
            outcome = outcome.model_copy(update={"evidence": evidence})
        steps = {"layout": laid_out - started, "run": ran - laid_out, "judge": time.monotonic() - ran}
        return outcome.model_copy(update={"steps_s": steps})


def _right_so_far(outcome: Outcome, result: RunResult, trials: int) -> bool:
    wrong = any(f.code.startswith("MISMATCH") for f in outcome.findings)
    spoilt = outcome.evidence.changed_inputs or outcome.evidence.aliased_inputs
    return not wrong and not spoilt and all(call.status == "ok" for call in result.calls[:trials])


def _judge(
    plan: Plan,
    description: TaskDescription,
    trials: tuple[Trial, ...],
    laid: tuple[LaidOutTrial, ...],
    result: RunResult,
    mapping: Path,
    reproduce: str,
) -> Outcome:
    findings = list(run_findings(plan, result))
    if result.status == "error":
        return Outcome(findings=tuple(findings), evidence=RunEvidence(), judged=False, log=result.log)
    content = np.memmap(mapping, dtype=np.uint8, mode="r")
    judged = Judged(plan=plan, writers=result.writers, reproduce=reproduce)
    written: dict[str, Counter[str]] = {}
    changed: list[str] = []
    aliased: list[str] = []
    worst: float | None = None
    for number, (trial, placed) in enumerate(zip(trials, laid, strict=True)):
        call = result.calls[number] if number < len(result.calls) else None
        if call is None or call.status != "ok":
            break
        if plan.entry is not None:
            findings += shape_findings(judged, placed, call, len(placed.call.returned))
        if any(f.code.startswith("MISMATCH") for f in findings):
            break
        changed += _changed_inputs(trial, placed, content)
        aliased += call.aliases
        for position, output in enumerate(placed.outputs):
            stores = _stores(result, number, output, content)
            if stores is not None:
                written.setdefault(output.name, Counter()).update(_kinds(stores, result.writers))
            actual = content[
                output.offset : output.offset + span_bytes(output.shape, output.strides, output.dtype)
            ]
            comparison = compare(actual, output.dtype, output.shape, trial.expected[position], trial.mapping)
            if comparison.max_error is not None:
                worst = max(worst or 0.0, comparison.max_error)
            if comparison.ok:
                continue
            if stores is not None and (stores == 0).any():
                findings.append(not_written_finding(judged, output, stores, number, trial.family))
            else:
                findings.append(mismatch_finding(judged, output, comparison, stores, number, trial.family))
        if any(f.code.startswith("MISMATCH") for f in findings):
            break
    evidence = RunEvidence(
        written_by={name: dict(kinds) for name, kinds in written.items()},
        changed_inputs=tuple(dict.fromkeys(changed)),
        aliased_inputs=tuple(dict.fromkeys(aliased)),
        copying_task=is_copy(description.trace),
        kernels=tuple(sorted({w.kernel for w in result.writers if w.kind == "device"})),
    )
    return Outcome(findings=tuple(findings), evidence=evidence, max_error=worst, log=result.log)


def _stores(
    result: RunResult, number: int, output: TensorData, content: "np.memmap[tuple[int], np.dtype[np.uint8]]"
) -> "np.ndarray[tuple[int], np.dtype[np.uint16]] | None":
    """For each element of an output, the number of the place that stored it; None where nothing was recorded."""
    offset = result.provenance.get(str(number), {}).get(output.name)
    if offset is None:
        return None
    return np.frombuffer(content[offset : offset + 2 * output.numel].tobytes(), dtype=np.uint16)


def _kinds(
    stores: "np.ndarray[tuple[int], np.dtype[np.uint16]]", writers: tuple[Writer, ...]
) -> Counter[str]:
    numbers, counts = np.unique(stores, return_counts=True)
    kinds: Counter[str] = Counter()
    for place, count in zip(numbers.tolist(), counts.tolist(), strict=True):
        kinds[writers[place - 1].kind if 0 < place <= len(writers) else "nobody"] += count
    return kinds


def _changed_inputs(
    trial: Trial, placed: LaidOutTrial, content: "np.memmap[tuple[int], np.dtype[np.uint8]]"
) -> list[str]:
    """Inputs that came back other than they went in, bit by bit."""
    source = np.memmap(trial.mapping, dtype=np.uint8, mode="r")
    changed = []
    for tensor in placed.inputs:
        given = trial.tensors[tensor.name]
        if given.dtype != tensor.dtype:
            continue  # converted on the way in; the original never left
        size = span_bytes(tensor.shape, tensor.strides, tensor.dtype)
        if not np.array_equal(
            content[tensor.offset : tensor.offset + size], source[given.offset : given.offset + size]
        ):
            changed.append(tensor.name)
    return changed
