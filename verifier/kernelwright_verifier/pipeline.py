"""The road of one candidate: hack -> compile -> correctness -> latency, published gate by gate."""

import asyncio
import logging
import secrets
import shlex
import time
import traceback
from collections import Counter
from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from kernelwright_backends.dialect import ToolchainUnavailable, toolchain_for
from kernelwright_backends.finding import Finding, Severity, finding
from kernelwright_backends.model import Model
from kernelwright_backends.room import NO_ROOM, REMEDY
from kernelwright_backends.toolchain import (
    BuildResult,
    Confinement,
    ConfinementError,
    Limits,
    RunRequest,
    RunResult,
    Symbols,
    Toolchain,
)
from kernelwright_verifier.binding import Binding, BindingFailed, bind
from kernelwright_verifier.busy import excused
from kernelwright_verifier.evidence import Evidence, Stage, TrialEvidence
from kernelwright_verifier.expression import ExpressionError
from kernelwright_verifier.full_size import names_larger_sizes, needed_bytes, oddity
from kernelwright_verifier.gates import compile as compile_gate
from kernelwright_verifier.gates import hack
from kernelwright_verifier.gates.correctness import Numbered, Outcome, run_trials
from kernelwright_verifier.gates.correctness.feedback import run_findings
from kernelwright_verifier.gates.correctness.shapes import other_shapes
from kernelwright_verifier.gates.correctness.stages import (
    OF_OTHER_SHAPES,
    STAGES,
    TRIALS,
    USUAL,
    trial_seeds,
    trials_up_to,
)
from kernelwright_verifier.gates.hack.audit import Auditor, audited
from kernelwright_verifier.gates.latency import LatencyOutcome, estimate_latency
from kernelwright_verifier.plan import Plan
from kernelwright_verifier.processes.reference import Reference, Screen, TaskError, Trial
from kernelwright_verifier.regression import regression
from kernelwright_verifier.screening import task_findings
from kernelwright_verifier.sizes import format_sizes, literal_sizes, may_know_sizes
from kernelwright_verifier.task import Task, TaskDescription
from kernelwright_verifier.verdict import GATES, GateName, GateResult, KernelPlace, Verdict
from kernelwright_verifier.workload import total_operations

_LOG = logging.getLogger(__name__)

# The traced emulation does about this much; used only to say beforehand that a size cannot be run.
_EMULATED_OPERATIONS_PER_S = 2e7


class VerifyOptions(Model):
    """What the user may ask of one verification."""

    size: Literal["auto", "full"] = "auto"
    shape: dict[str, int] | None = None
    """constants that override the task's; wins over `size=` of the directive"""
    seed: int | None = None
    latency: bool = True
    arguments: tuple[str, ...] = ()
    """of a program, behind its name"""
    root: Path | None = None
    """a folder around a program that it may read; else its own alone"""
    without: tuple[str, ...] = ()
    """checks of the hack gate (A1, A2, ...) that count for nothing: to measure what each is worth"""
    stage: Stage | None = None
    """the last stage of correctness to walk; None: all that are walked unasked"""


class Road:
    """One verification: everything that is known of it so far."""

    def __init__(
        self,
        plan: Plan,
        options: VerifyOptions,
        confinement: Confinement,
        reference: Reference,
        sandbox: str,
        auditor: Auditor | None = None,
    ) -> None:
        self._auditor = auditor
        self._plan = plan
        self._options = options
        self._confinement = confinement
        self._reference = reference
        self._sandbox = sandbox
        self._seed = options.seed if options.seed is not None else secrets.randbits(31)
        self._gates: dict[GateName, GateResult] = {}
        self._steps_s: dict[str, float] = {}
        self._description: TaskDescription | None = None
        self._latency: LatencyOutcome | None = None
        self._outcome: Outcome | None = None
        self._symbols: Symbols | None = None
        self._stages: list[Stage] = []
        self._not_tried: list[str] = []
        self._trials_used: list[Trial] = []
        self._log = ""
        self._screen: Screen | None = None
        self._seen_at_full_size = False
        limits = plan.configuration.limits
        self._limits = Limits(time_s=limits.time_s, memory_mb=limits.memory_mb)

    async def walk(self) -> AsyncGenerator[GateResult | Verdict, None]:
        """Gate results as they come; a gate may come twice (hack: provisional, then final); last the verdict."""
        try:
            async with aclosing(self._walk()) as gates:
                async for gate in gates:
                    silenced = self._silence(gate)
                    self._gates[gate.gate] = silenced
                    yield silenced
                    if silenced.status in ("failed", "error"):
                        break
        except ConfinementError as error:
            yield self._fail("ENV_SANDBOX", str(error))
        except ToolchainUnavailable as error:
            yield self._fail("ENV_TARGET", str(error))
        except Exception as error:
            yield self._failed_by(error)
        finally:
            for trial in self._trials_used:
                self._reference.forget(trial)
        yield self._verdict()

    def _failed_by(self, error: Exception) -> GateResult:
        """Not judged, for want of room or by a fault of ours."""
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            return self._fail("ENV_DISK", _no_room(error))
        _LOG.error("verifying %s", self._plan.candidate.name, exc_info=error)
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
        return self._fail("ENV_INTERNAL", f"a fault of Kernelwright, please report it: {what}")

    def _fail(self, code: str, message: str) -> GateResult:
        """Not judged, by no fault of the candidate: the first gate that is still open says so."""
        name: GateName = next((n for n in GATES if n not in self._gates), "latency")
        gate = GateResult(gate=name, status="error", findings=(finding(code, message, self._path),))
        self._gates[name] = gate
        return gate

    @property
    def _path(self) -> str:
        return str(self._plan.candidate.path)

    async def _walk(self) -> AsyncGenerator[GateResult, None]:
        plan = self._plan
        started = time.monotonic()
        off = plan.configuration.hack.level == "off"
        # In a thread: a caller's loop may have an editor to answer.
        text_findings = () if off else self._counted(await asyncio.to_thread(hack.look_at_text, plan))
        hack_gate = GateResult.of("hack", text_findings, time.monotonic() - started, provisional=True)
        if off:
            hack_gate = GateResult(gate="hack", status="skipped")
        yield hack_gate
        if hack_gate.status == "failed":
            return
        toolchain = await asyncio.to_thread(toolchain_for, plan.target)  # which imports it
        if plan.task is None:
            async for gate in self._walk_without_task(toolchain, hack_gate):
                yield gate
            return

        # -- compile: bind, then build, while the reference already works on the trials
        started = time.monotonic()
        problems = tuple(f for f in plan.findings if f.severity is Severity.ERROR)
        if plan.entry is None or problems:
            yield GateResult.of("compile", plan.findings, time.monotonic() - started)
            return
        try:
            description = await self._timed("describe", self._reference.describe(plan.task, self._size()))
            self._description = description
            binding = bind(plan.entry, plan.directive, description, self._path, plan.entry_name)
        except TaskError as error:
            yield _task_gate(error, time.monotonic() - started)
            return
        except BindingFailed as error:
            yield GateResult.of("compile", (*plan.findings, *error.findings), time.monotonic() - started)
            return
        trials_task = asyncio.ensure_future(self._trials(plan.task, description))
        screen_task = asyncio.ensure_future(self._screened(plan.task, description, trials_task))
        try:
            built, compile_findings, hack_findings = await self._timed(
                "build", compile_gate.build(plan, binding.call, toolchain, plan.target, self._confinement)
            )
            for step, elapsed in built.elapsed_s.items():
                self._steps_s[f"build.{step}"] = elapsed
            if not off:
                self._symbols = built.symbols
                if built.object is not None:
                    hack_findings += hack.look_at_object(plan, built.symbols or Symbols())
                hack_findings = self._counted(hack_findings)
                if hack_findings:
                    hack_gate = self._extended(hack_gate, hack_findings)
                    yield hack_gate
                    if hack_gate.status == "failed":
                        return
            compiled = GateResult.of(
                "compile", (*plan.findings, *compile_findings), time.monotonic() - started
            )
            if compiled.status == "passed" and built.object is None:
                compiled = GateResult(gate="compile", status="error", findings=compiled.findings)
            yield compiled
            if compiled.status != "passed":
                return

            # -- correctness
            started = time.monotonic()
            if description.random:
                yield GateResult(
                    gate="correctness", status="error", findings=(self._random_task(description),)
                )
                return
            trials = await self._timed("reference", trials_task)
            self._screen = await self._timed("screen", screen_task)
        except TaskError as error:
            yield _task_gate(error, time.monotonic() - started, "correctness")
            return
        finally:
            await _cancelled(trials_task)
            await _cancelled(screen_task)
        # The latency's trace needs nothing of the trials: let it use the other core meanwhile. A device is timed alone.
        latency_task: asyncio.Future[LatencyOutcome] | None = None
        if plan.target.where == "cpu":
            latency_task = asyncio.ensure_future(self._estimate(plan.task, binding, built, toolchain))
        try:
            outcome = await self._judge(binding, description, trials, built, toolchain)
            weak = task_findings(plan.task, self._screen)
            outcome = outcome.model_copy(update={"findings": (*outcome.findings, *weak)})
            self._outcome = outcome
            self._log = outcome.log
            if not off:
                seen = self._counted(hack.look_at_run(plan, outcome.evidence))
                hack_gate = self._extended(hack_gate, hack.without_consequences(seen))
                yield hack_gate.model_copy(update={"provisional": False})
                if hack_gate.status == "failed":
                    return
            elapsed = time.monotonic() - started
            if not outcome.judged or (not outcome.passed and _only_too_large(outcome)):
                yield GateResult(
                    gate="correctness", status="error", elapsed_s=elapsed, findings=outcome.findings
                )
                return
            yield GateResult.of("correctness", outcome.findings, elapsed)
            if not outcome.passed:
                return

            if not off and self._auditor is not None:
                doubts = self._counted(await self._timed("audit", audited(plan, self._auditor)))
                if doubts:
                    hack_gate = self._extended(hack_gate, doubts)
                    yield hack_gate.model_copy(update={"provisional": False})
                    if hack_gate.status == "failed":
                        return

            # -- latency
            started = time.monotonic()
            if not self._options.latency:
                yield GateResult(gate="latency", status="skipped")
                return
            latency = latency_task or self._estimate(plan.task, binding, built, toolchain)
            self._latency = await self._timed("trace", latency)
            if not off:
                evidence = await self._full_size(binding, description, built, toolchain)
                odd = self._counted(hack.look_at_time(plan, evidence))
                if odd:
                    hack_gate = self._extended(hack_gate, odd)
                    yield hack_gate.model_copy(update={"provisional": False})
                    if hack_gate.status == "failed":
                        return
            found = self._latency.findings
            if self._latency.estimate is not None:
                worse = await asyncio.to_thread(regression, plan, description, self._latency.estimate)
                found = (*found, worse) if worse is not None else found
            yield GateResult.of("latency", found, time.monotonic() - started)
        finally:
            if latency_task is not None:
                await _cancelled(latency_task)

    async def _walk_without_task(
        self, toolchain: Toolchain, hack_gate: GateResult
    ) -> AsyncGenerator[GateResult, None]:
        """Compile alone, or build and run a program that has a `main`."""
        plan = self._plan
        started = time.monotonic()
        problems = tuple(f for f in plan.findings if f.severity is Severity.ERROR)
        if problems:
            yield GateResult.of("compile", plan.findings, 0.0)
            return
        built, findings, hack_findings = await self._timed(
            "build", compile_gate.build(plan, None, toolchain, plan.target, self._confinement)
        )
        if hack_findings and hack_gate.status != "skipped":
            hack_gate = self._extended(hack_gate, hack_findings)
            yield hack_gate
            if hack_gate.status == "failed":
                return
        compiled = GateResult.of("compile", (*plan.findings, *findings), time.monotonic() - started)
        yield compiled
        if compiled.status != "passed":
            return
        if not plan.program or built.object is None:
            return
        started = time.monotonic()
        folder = plan.candidate.path.parent
        request = RunRequest(
            mapping=folder,
            calls=(),
            limits=self._limits,
            arguments=self._options.arguments or plan.arguments,
            folder=folder,
            root=self._options.root,
        )
        result = await self._timed("run", toolchain.run(built, request, plan.target, self._confinement))
        self._log = result.log
        found = (*run_findings(plan, result), *_program_findings(plan, result))
        late = excused(found)
        if result.status == "error" or late is not None:
            found = late or found
            yield GateResult(
                gate="correctness", status="error", elapsed_s=time.monotonic() - started, findings=found
            )
        else:
            yield GateResult.of("correctness", found, time.monotonic() - started)

    def _size(self) -> Any:
        """The sizes to ask the reference for: the user's, the directive's, else by its own rules."""
        if self._options.shape:
            return self._options.shape
        if self._options.size == "full":
            return "full"
        return self._plan.sizes or "auto"

    async def _trials(
        self, task: Task, description: TaskDescription, numbers: Collection[int] | None = None
    ) -> tuple[Numbered, ...]:
        chosen = trials_up_to(self._options.stage or USUAL) if numbers is None else sorted(numbers)
        trials: list[Numbered] = []
        for number in chosen:
            repeats = TRIALS[number].repeats
            trial = next((t.trial for t in trials if t.number == repeats), None) or await self._trial(
                task, description, number
            )
            trials.append(Numbered(number, trial, TRIALS[number].stage))
        return tuple(trials)

    async def _trial(self, task: Task, description: TaskDescription, number: int) -> Trial:
        """Under the seed of a planned trial; one that was just drawn is used once, and its tensors go with the road."""
        seed, keep = trial_seeds(self._seed)[number], self._options.seed is not None
        trial = await self._reference.trial(
            task, description, seed=seed, family=TRIALS[number].family, keep=keep
        )
        self._trials_used.append(trial)
        return trial

    async def _screened(
        self, task: Task, description: TaskDescription, trials: "asyncio.Future[tuple[Numbered, ...]]"
    ) -> Screen | None:
        """What the task itself shows; after the trials, which are waited for."""
        await asyncio.wait([trials])
        if trials.cancelled() or trials.exception() is not None:
            return None
        try:
            return await self._reference.screen(task, description)
        except TaskError:
            return None  # too much for the limits: the trials stand for themselves

    async def _judge(
        self,
        binding: Binding,
        description: TaskDescription,
        trials: tuple[Numbered, ...],
        built: BuildResult,
        toolchain: Toolchain,
    ) -> Outcome:
        """Judge at the chosen size, then at other shapes. A failure at a reduced size may be refuted at a larger one
        (contracts.md section 2)."""
        outcome = await self._judge_size(binding, description, trials, built, toolchain)
        if not outcome.passed or not self._walks("shapes"):
            return outcome
        return await self._judge_shapes(binding, outcome, built, toolchain)

    def _walks(self, stage: Stage) -> bool:
        """Whether a stage is asked for; notes that it was reached."""
        wanted = STAGES.index(stage) <= STAGES.index(self._options.stage or USUAL)
        if wanted and stage not in self._stages:
            self._stages.append(stage)
        return wanted

    async def _judge_shapes(
        self, binding: Binding, outcome: Outcome, built: BuildResult, toolchain: Toolchain
    ) -> Outcome:
        """The shapes that the task declares, each an error if it fails; on request others, which are evidence alone."""
        task, held = self._plan.task, self._description
        assert task is not None and held is not None
        declared = [dict(shape) for shape in (*held.shapes, *task.shapes)]
        own = held.sizes
        for shape in (s for s in declared if any(own.get(name) != value for name, value in s.items())):
            tried = await self._try_shape("shapes", shape, binding, held, built, toolchain)
            if tried is None:
                continue
            outcome = _joined(outcome, tried)
            if not tried.passed:
                return outcome
        if not self._walks("undeclared"):
            return outcome
        for shape in other_shapes(held.sizes, declared):
            tried = await self._try_shape("undeclared", shape, binding, held, built, toolchain)
            if tried is None:
                continue
            failed = next((f for f in tried.findings if f.severity is Severity.ERROR), None)
            if failed is not None:
                note = finding(
                    "SHAPE_SPECIALISED",
                    f"right at the task's own shapes, wrong at {format_sizes(shape)}, which it does not declare: "
                    f"{failed.message}",
                    self._path,
                    *([self._plan.entry.name_range] if self._plan.entry else []),
                    data={"shape": shape, "code": failed.code},
                )
                kept = tried.model_copy(update={"findings": (note,), "evidence": outcome.evidence})
                return _joined(outcome, kept)
            outcome = _joined(outcome, tried)
        return outcome

    async def _try_shape(
        self,
        stage: Stage,
        shape: dict[str, Any],
        binding: Binding,
        held: TaskDescription,
        built: BuildResult,
        toolchain: Toolchain,
    ) -> Outcome | None:
        """One trial at another shape; None where there is none, and the evidence says why."""
        task = self._plan.task
        assert task is not None
        asked = {**_scalar_sizes(held), **shape}
        try:
            description = await self._reference.describe(task, asked)
            if not self._affordable(description, 1):
                self._not_tried.append(f"{format_sizes(shape)}: too large to be run here within the limit")
                return None
            trial = await self._trial(task, description, OF_OTHER_SHAPES)
        except TaskError as error:
            self._not_tried.append(f"{format_sizes(shape)}: {error.findings[0].message}")
            if stage == "undeclared" or all(f.code.startswith("ENV_") for f in error.findings):
                return None
            # The task itself does not work at a shape that it declares: no fault of the candidate.
            softened = tuple(f.model_copy(update={"severity": Severity.WARNING}) for f in error.findings)
            return Outcome(findings=softened, evidence=hack.RunEvidence())
        numbered = Numbered(OF_OTHER_SHAPES, trial, stage, dict(description.sizes))
        return await self._run(binding, description, (numbered,), built, toolchain, asked)

    async def _judge_size(
        self,
        binding: Binding,
        description: TaskDescription,
        trials: tuple[Numbered, ...],
        built: BuildResult,
        toolchain: Toolchain,
    ) -> Outcome:
        for stage in dict.fromkeys(t.stage for t in trials):
            self._walks(stage)
        outcome = await self._run(binding, description, trials, built, toolchain, probing=True)
        if self._looks_remembered(outcome):
            outcome = await self._alone(binding, description, trials, built, toolchain, outcome)
        asked = self._options.shape is not None
        # Sizes that the file itself names keep it from nothing.
        if outcome.passed and description.size == "reduced" and not asked:
            return await self._judge_named_size(binding, description, outcome, built, toolchain)
        chosen = asked or self._plan.sizes is not None
        if outcome.passed or not outcome.judged or description.size == "full" or chosen:
            return outcome
        task = self._plan.task
        assert task is not None
        try:
            return await self._judge_larger(task, binding, description, outcome, built, toolchain)
        except TaskError as error:
            return outcome.model_copy(update={"findings": (*outcome.findings, *error.findings)})

    def _looks_remembered(self, outcome: Outcome) -> bool:
        """Wrong in a later call, and nothing but the values."""
        errors = [f for f in outcome.findings if f.severity is Severity.ERROR]
        return (
            outcome.judged
            and not outcome.evidence.remembered
            and self._plan.configuration.hack.level != "off"
            and bool(errors)
            and all(f.code == "MISMATCH_VALUE" and f.data.get("trial", 0) > 0 for f in errors)
        )

    async def _alone(
        self,
        binding: Binding,
        description: TaskDescription,
        trials: tuple[Numbered, ...],
        built: BuildResult,
        toolchain: Toolchain,
        outcome: Outcome,
    ) -> Outcome:
        """The call that went wrong, made first in a new process, in both orders of the threads: right there, it had been led
        astray by what was kept of the calls before."""
        number = next(f.data["trial"] for f in outcome.findings if f.code == "MISMATCH_VALUE")
        wrong = next((t for t in trials[1:] if t.number == number), None)
        if wrong is None:
            return outcome
        # The numbers say in which order of the threads each is run.
        both = tuple(wrong._replace(number=order) for order in (0, 1))
        alone = await self._run(binding, description, both, built, toolchain)
        if not alone.passed:
            return outcome
        told = f"call {number + 1} is wrong after the calls before it, and right when it is made first"
        evidence = outcome.evidence.model_copy(update={"remembered": told})
        return outcome.model_copy(update={"evidence": evidence})

    async def _judge_named_size(
        self,
        binding: Binding,
        reduced: TaskDescription,
        outcome: Outcome,
        built: BuildResult,
        toolchain: Toolchain,
    ) -> Outcome:
        """Right at a reduced size; a number in the text between that and the full one may tell the two apart."""
        task = self._plan.task
        assert task is not None
        try:
            full = await self._reference.describe(task, "full")
            if not names_larger_sizes(self._plan.candidate.text, reduced, full) or not self._affordable(
                full, 4
            ):
                return outcome
            trials = await self._trials(task, full, {1})
        except TaskError:
            return outcome
        larger = await self._timed("full", self._run(binding, full, trials, built, toolchain))
        if not larger.judged or _only_too_large(larger):
            return outcome
        self._seen_at_full_size = True
        if larger.passed:
            return outcome
        return self._at(full, larger.model_copy(update={"evidence": outcome.evidence}))

    async def _judge_larger(
        self,
        task: Task,
        binding: Binding,
        reduced: TaskDescription,
        outcome: Outcome,
        built: BuildResult,
        toolchain: Toolchain,
    ) -> Outcome:
        text = self._plan.candidate.text
        full = await self._reference.describe(task, "full")
        lost = {name: value for name, value in full.sizes.items() if reduced.sizes.get(name) != value}
        kept = literal_sizes(text, lost)
        attempts: list[Any] = [{**_scalar_sizes(reduced), **kept}] if kept else []
        attempts.append("full")
        # Large sizes are dear: the task's own inputs, and those that failed.
        failed = next((f.data["trial"] for f in outcome.findings if isinstance(f.data.get("trial"), int)), 0)
        numbers = {0, failed}
        for size in attempts:
            description = await self._reference.describe(task, size)
            if not self._affordable(description, len(numbers)):
                continue
            trials = await self._trials(task, description, numbers)
            larger = await self._run(binding, description, trials, built, toolchain)
            if larger.passed:
                self._description = description
                note = self._specialised(reduced, description, outcome)
                return larger.model_copy(update={"findings": (*larger.findings, note)})
            if size == "full" and larger.judged:
                # The last answer refuses; what the small size showed is easier to look at.
                return outcome if not may_know_sizes(text, lost) else self._at(description, larger)
        if not may_know_sizes(text, lost):
            return outcome
        too_large = finding(
            "SIZE_TOO_LARGE",
            "it fails at reduced sizes, but may be written for the task's own, which cannot be run here within the limit of "
            f'{self._limits.time_s:g} s: declare SMALL in the task, or size="..." in the directive',
            self._path,
            *([self._plan.entry.name_range] if self._plan.entry else []),
            data={"reduced": [f.code for f in outcome.findings]},
        )
        softened = tuple(f.model_copy(update={"severity": Severity.WARNING}) for f in outcome.findings)
        return outcome.model_copy(update={"findings": (*softened, too_large), "judged": False})

    def _at(self, description: TaskDescription, outcome: Outcome) -> Outcome:
        self._description = description
        return outcome

    def _random_task(self, description: TaskDescription) -> Finding:
        drawing = ", ".join(description.random)
        message = f"the reference draws random numbers ({drawing}), so there is nothing to compare a kernel with: call .eval() on the model, or leave them out of the task"
        return finding("TASK_RANDOM", message, str(self._plan.task.path) if self._plan.task else self._path)

    def _specialised(self, reduced: TaskDescription, held: TaskDescription, outcome: Outcome) -> Finding:
        first = next((f.message for f in outcome.findings if f.severity is Severity.ERROR), "")
        return finding(
            "SHAPE_SPECIALISED",
            f"right at {format_sizes(held.sizes) or 'its own size'}, wrong at {format_sizes(reduced.sizes)}: {first}",
            self._path,
            *([self._plan.entry.name_range] if self._plan.entry else []),
        )

    @property
    def _probes(self) -> bool:
        """Whether the runner makes the calls of the hack gate behind the trials; an NPU's does not."""
        target = self._plan.target
        return self._plan.configuration.hack.level != "off" and (target.dialect, target.where) != (
            "ascendc",
            "npu",
        )

    def _affordable(self, description: TaskDescription, trials: int) -> bool:
        seconds = trials * total_operations(description) / _EMULATED_OPERATIONS_PER_S
        return seconds <= self._limits.time_s

    async def _run(
        self,
        binding: Binding,
        description: TaskDescription,
        trials: tuple[Numbered, ...],
        built: BuildResult,
        toolchain: Toolchain,
        shape: dict[str, Any] | None = None,
        *,
        probing: bool = False,
    ) -> Outcome:
        try:
            outcome = await run_trials(
                self._plan,
                binding,
                description,
                trials,
                built,
                toolchain,
                self._plan.target,
                self._confinement,
                self._limits,
                self._reproduce(description, shape),
                self._screen,
                probing and self._probes,
            )
        except ExpressionError as error:
            at = self._plan.directive.place("args") if self._plan.directive else None
            problem = finding("BIND_EXPRESSION", str(error), self._path, *([at] if at else []))
            return Outcome(findings=(problem,), evidence=hack.RunEvidence())
        for step, elapsed in outcome.steps_s.items():
            self._steps_s[step] = self._steps_s.get(step, 0.0) + elapsed
        late = excused(outcome.findings)
        return outcome if late is None else outcome.model_copy(update={"findings": late, "judged": False})

    async def _estimate(
        self, task: Task, binding: Binding, built: BuildResult, toolchain: Toolchain
    ) -> LatencyOutcome:
        if not self._options.latency:
            return LatencyOutcome(estimate=None, reference_us=None, findings=())
        try:
            full = await self._reference.describe(task, "full")
        except TaskError as error:
            softened = tuple(f.model_copy(update={"severity": Severity.WARNING}) for f in error.findings)
            return LatencyOutcome(estimate=None, reference_us=None, findings=softened)
        return await estimate_latency(
            self._plan, binding, full, built, toolchain, self._plan.target, self._confinement, self._limits
        )

    async def _full_size(
        self, binding: Binding, description: TaskDescription, built: BuildResult, toolchain: Toolchain
    ) -> hack.TimeEvidence:
        """What the trace, or the clock, shows of the full size; what looks odd there is run there, if it can be."""
        task, estimate = self._plan.task, self._latency.estimate if self._latency else None
        if task is None or estimate is None or self._outcome is None:
            return hack.TimeEvidence()
        try:
            full = await self._reference.describe(task, "full")
            outputs, inputs = await asyncio.to_thread(needed_bytes, full, self._screen)
            evidence = hack.TimeEvidence(
                latency_us=estimate.latency_us,
                measured=estimate.source == "measured",
                floor_us=toolchain.floor_us(outputs + inputs, self._plan.target),
                moved_bytes=outputs + inputs,
            )
            moved = estimate.detail.get("moved")
            asked = self._options.shape is not None
            if moved is None or description.size == "full" or asked or self._seen_at_full_size:
                return evidence
            odd = oddity(moved, self._outcome.evidence.kernels, outputs, inputs)
            wrong: str | None = None
            if odd and self._affordable(full, 1):
                trials = await self._trials(task, full, {1})
                larger = await self._timed("full", self._run(binding, full, trials, built, toolchain))
                if larger.judged:
                    wrong = next((f.message for f in larger.findings if f.severity is Severity.ERROR), "")
        except TaskError:
            return hack.TimeEvidence()
        return evidence.model_copy(update={"odd_at_full_size": odd, "wrong_at_full_size": wrong})

    async def _timed(self, step: str, awaitable: Any) -> Any:
        started = time.monotonic()
        try:
            return await awaitable
        finally:
            self._steps_s[step] = self._steps_s.get(step, 0.0) + time.monotonic() - started

    def _counted(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return tuple(f for f in findings if f.data.get("check") not in self._options.without)

    def _extended(self, gate: GateResult, findings: tuple[Finding, ...]) -> GateResult:
        return self._silence(
            GateResult.of("hack", (*gate.findings, *findings), gate.elapsed_s, provisional=True)
        )

    def _silence(self, gate: GateResult) -> GateResult:
        """Leave out what the file or the configuration allows; a hack finding only by the configuration."""
        allowances = self._plan.allowances
        ignored = self._plan.configuration.findings.ignore
        kept: list[Finding] = []
        silenced: Counter[str] = Counter()
        for item in gate.findings:
            in_file = not item.code.startswith("HACK_") and any(
                a.code == item.code and item.line in (a.line, a.line + 1) for a in allowances
            )
            if in_file or item.code in ignored:
                silenced[item.code] += 1
            else:
                kept.append(item)
        if not silenced:
            return gate
        counted = ", ".join(f"{code} x{count}" for code, count in silenced.items())
        kept.append(finding("ENV_DIRECTIVE_ALLOW", f"silenced: {counted}", self._path, data=dict(silenced)))
        if gate.status in ("skipped", "error"):
            return gate.model_copy(update={"findings": tuple(kept)})
        return GateResult.of(gate.gate, tuple(kept), gate.elapsed_s, provisional=gate.provisional)

    def _reproduce(self, description: TaskDescription | None, shape: dict[str, Any] | None = None) -> str:
        """The command that shows the same again.

        Args:
            shape: constants that a stage chose by itself.
        """
        plan = self._plan
        words = ["kernelwright", "check", plan.candidate.name]
        if plan.entry_name:
            words += ["--entry", plan.entry_name]
        words += ["--target", str(plan.target), "--seed", str(self._seed)]
        if self._options.shape or shape:
            words += ["--shape", format_sizes({**(self._options.shape or {}), **(shape or {})})]
        elif description is not None and description.size == "full":
            words += ["--size", "full"]
        return shlex.join(words)

    def _verdict(self) -> Verdict:
        plan, description = self._plan, self._description
        if plan.task is None and "correctness" not in self._gates and self._passed("compile"):
            self._gates["correctness"] = GateResult(
                gate="correctness",
                status="skipped",
                findings=(_task_missing(plan),) if not plan.header else (),
            )
        gates = tuple(self._gates.get(name) or GateResult(gate=name, status="skipped") for name in GATES)
        estimate = self._latency.estimate if self._latency else None
        entry = plan.entry_name if plan.task is not None or plan.entry is not None else None
        return Verdict(
            file=plan.candidate.name,
            dialect=plan.index.dialect,
            kernels=tuple(KernelPlace(name=k.name, line=k.name_range.line) for k in plan.index.kernels),
            entry=entry,
            form=plan.entry.form or plan.entry.kind if plan.entry else None,
            task=str(plan.task.path) if plan.task else None,
            target=str(plan.target),
            chip=plan.target.product,
            size=description.size if description else None,
            sizes=description.sizes if description else {},
            feasible=self._feasible(gates),
            gates=gates,
            latency_us=estimate.latency_us if estimate else None,
            latency_low_us=estimate.low_us if estimate else None,
            latency_high_us=estimate.high_us if estimate else None,
            latency_source=estimate.source if estimate and estimate.latency_us is not None else None,
            reference_latency_us=self._latency.reference_us if self._latency and estimate else None,
            max_error=self._outcome.max_error if self._outcome else None,
            seed=self._seed if description else None,
            reproduce=self._first_reproduce() or (self._reproduce(description) if description else None),
            bottleneck=estimate.bottleneck.value if estimate and estimate.bottleneck else None,
            latency_parts=estimate.parts if estimate else {},
            steps_s=self._steps_s,
            sandbox=self._sandbox,
            hack_level=plan.configuration.hack.level,
            log=self._log,
            evidence=self._evidence(),
            accesses=tuple(estimate.detail.get("accesses", ())) if estimate else (),
            profiles=tuple(estimate.detail.get("profiles", ())) if estimate else (),
            verified=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _first_reproduce(self) -> str | None:
        """Of the first mismatch: as the verdict's, and it names the stage."""
        findings = self._outcome.findings if self._outcome else ()
        return next((f.data["reproduce"] for f in findings if f.data.get("reproduce")), None)

    def _evidence(self) -> Evidence:
        outcome, description = self._outcome, self._description
        own = description.sizes if description else {}
        reached = outcome.trials if outcome else ()
        return Evidence(
            stages=tuple(s for s in self._stages if any(t.stage == s for t in reached)),
            trials=tuple(_without_sizes(t) if t.sizes == own else t for t in reached),
            determinism=outcome.determinism if outcome else None,
            not_tried=tuple(self._not_tried),
            requires=description.requires if description else {},
            object=self._symbols.model_dump(mode="json") if self._symbols else {},
            run=outcome.evidence.model_dump(mode="json") if outcome else {},
        )

    def _passed(self, name: GateName) -> bool:
        gate = self._gates.get(name)
        return gate is not None and gate.status == "passed"

    def _feasible(self, gates: tuple[GateResult, ...]) -> bool | None:
        """Passed hack, compile and correctness; None where that could not be judged."""
        judging = gates[:3]
        if any(gate.status == "failed" for gate in judging):
            return False
        if any(gate.status == "error" for gate in judging):
            return None
        return True if gates[2].status == "passed" else None


def _task_missing(plan: Plan) -> Finding:
    at = next(iter((*plan.index.entries, *plan.index.kernels)), None)
    name = at.name if at else plan.candidate.path.name
    return finding(
        "TASK_MISSING",
        f"no task says what {name} must compute: put {plan.candidate.path.stem}.py beside the file, or name a task in a "
        "directive (// kernelwright: task=FILE.py)",
        str(plan.candidate.path),
        *([at.name_range] if at else []),
        data={"fix": "task", "entry": at.name if at else None},
    )


def _task_gate(error: TaskError, elapsed_s: float, gate: GateName = "compile") -> GateResult:
    """A task that cannot be used; by the environment's fault it is not a failure of the candidate."""
    if all(f.code.startswith("ENV_") for f in error.findings):
        return GateResult(gate=gate, status="error", elapsed_s=elapsed_s, findings=error.findings)
    return GateResult.of(gate, error.findings, elapsed_s)


def _program_findings(plan: Plan, result: RunResult) -> tuple[Finding, ...]:
    path = str(plan.candidate.path)
    if result.status != "ok":
        return ()
    if result.exit_status:
        return (finding("MISMATCH_EXIT", f"the program ended with status {result.exit_status}", path),)
    expected = plan.candidate.path.with_suffix(".expected")
    if not expected.is_file():
        return ()
    wanted, printed = (
        expected.read_text(encoding="utf-8", errors="replace").splitlines(),
        result.log.splitlines(),
    )
    for number, line in enumerate(wanted):
        seen = printed[number] if number < len(printed) else "(nothing)"
        if line.rstrip() != seen.rstrip():
            message = f"line {number + 1} of the output is '{seen}', {expected.name} says '{line}'"
            return (finding("MISMATCH_TEXT", message, path),)
    return ()


def _no_room(error: OSError) -> str:
    """What to say where a file cannot be written for want of room or of the right."""
    where = f" ({error.filename})" if error.filename else ""
    return f"nothing can be written where Kernelwright works: {error.strerror}{where}; {REMEDY}"


def _joined(first: Outcome, second: Outcome) -> Outcome:
    """Of two runs of one candidate. Provenance is that of the first, which has the task's own shapes."""
    return first.model_copy(
        update={
            "findings": (*first.findings, *(f for f in second.findings if f not in first.findings)),
            "judged": first.judged and second.judged,
            "max_error": max((e for e in (first.max_error, second.max_error) if e is not None), default=None),
            "log": first.log or second.log,
            "trials": (*first.trials, *second.trials),
        }
    )


def _without_sizes(trial: TrialEvidence) -> TrialEvidence:
    return trial.model_copy(update={"sizes": {}})


def _only_too_large(outcome: Outcome) -> bool:
    return any(f.code == "SIZE_TOO_LARGE" for f in outcome.findings) and not any(
        f.severity is Severity.ERROR for f in outcome.findings
    )


def _scalar_sizes(description: TaskDescription) -> dict[str, int]:
    return {name: value for name, value in description.sizes.items() if isinstance(value, int)}


async def _cancelled(task: "asyncio.Future[Any]") -> None:
    """Stop what is no longer wanted, and wait until it has."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def not_judged(plan: Plan, code: str, message: str) -> Verdict:
    """The verdict where nothing could be run at all; the text part of the hack gate still counts."""
    path = str(plan.candidate.path)
    text = GateResult.of("hack", hack.look_at_text(plan), 0.0)
    gates = [text]
    if text.status == "passed":
        gates.append(GateResult(gate="compile", status="error", findings=(finding(code, message, path),)))
    gates += [GateResult(gate=name, status="skipped") for name in GATES[len(gates) :]]
    return Verdict(
        file=plan.candidate.name,
        dialect=plan.index.dialect,
        kernels=tuple(KernelPlace(name=k.name, line=k.name_range.line) for k in plan.index.kernels),
        entry=plan.entry_name,
        form=plan.entry.form if plan.entry else None,
        task=str(plan.task.path) if plan.task else None,
        target=str(plan.target),
        chip=plan.target.product,
        feasible=False if text.status == "failed" else None,
        gates=tuple(gates),
        hack_level=plan.configuration.hack.level,
    )
