"""The pipeline of one candidate: hack -> compile -> correctness -> latency, published gate by gate."""

import asyncio
import logging
import secrets
import time
import traceback
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kernelwright_backends.core.finding import STRAYS, Finding, Severity, finding
from kernelwright_backends.core.registry import ToolchainUnavailable, toolchain_for
from kernelwright_backends.interfaces.toolchain import (
    BuildResult,
    Confinement,
    ConfinementError,
    Limits,
    RunRequest,
    RunResult,
    Symbols,
    Toolchain,
    TracesPrograms,
)
from kernelwright_backends.storage.disk_space import NO_DISK_SPACE, REMEDY
from kernelwright_verifier.binding import Binding, BindingFailed, bind
from kernelwright_verifier.gates import hack
from kernelwright_verifier.gates.compile import build as compile_gate
from kernelwright_verifier.gates.compile.missing_libraries import beyond_target
from kernelwright_verifier.gates.correctness import (
    CorrectnessChecker,
    Numbered,
    Outcome,
    TrialSource,
    only_too_large,
)
from kernelwright_verifier.gates.correctness.feedback import run_findings
from kernelwright_verifier.gates.correctness.program import (
    doubts,
    idle_findings,
    idle_time_s,
    output_findings,
    unmoved_findings,
)
from kernelwright_verifier.gates.correctness.sanitizing import sanitized, sanitized_trial
from kernelwright_verifier.gates.hack.audit import Auditor, audited
from kernelwright_verifier.gates.latency.estimate import LatencyOutcome, advise_on_launches, estimate_latency
from kernelwright_verifier.pipeline.elapsed import Steps
from kernelwright_verifier.pipeline.machine_load import excused
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.pipeline.reproduction import reproduce
from kernelwright_verifier.reference.client import Reference, Screen, TaskError
from kernelwright_verifier.reference.trial import TensorsGone
from kernelwright_verifier.results.allowed import without_allowed
from kernelwright_verifier.results.evidence import Evidence, TrialEvidence
from kernelwright_verifier.results.regression import regression
from kernelwright_verifier.results.verdict import (
    GATES,
    EarlyFindings,
    GateName,
    GateResult,
    KernelPlace,
    Verdict,
)
from kernelwright_verifier.task.full_size import needed_bytes, oddity
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.task.screening import task_findings
from kernelwright_verifier.task.task import Task, TaskDescription

_LOG = logging.getLogger(__name__)
_ADVICE_S = 5.0


class VerificationRun:
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
        self._steps = Steps()
        self._description: TaskDescription | None = None
        self._latency: LatencyOutcome | None = None
        self._outcome: Outcome | None = None
        self._symbols: Symbols | None = None
        self._trial_source = TrialSource(reference, options, self._seed)
        self._checker: CorrectnessChecker | None = None
        self._log = ""
        self._screen: Screen | None = None
        limits = plan.configuration.limits
        self._limits = Limits(time_s=limits.time_s, memory_mb=limits.memory_mb)

    async def run(self) -> AsyncGenerator[GateResult | EarlyFindings | Verdict, None]:
        """Gate results as they come; a gate may come twice (hack: provisional, then final), and correctness may say early what
        it is about to confirm; last the verdict."""
        try:
            async with aclosing(self._run()) as gates:
                async for gate in gates:
                    if isinstance(gate, EarlyFindings):
                        early = without_allowed(GateResult.of("correctness", gate.findings, 0.0), self._plan)
                        yield EarlyFindings(findings=early.findings)
                        continue
                    silenced = without_allowed(gate, self._plan)
                    self._gates[gate.gate] = silenced
                    yield silenced
                    if silenced.status in ("failed", "error"):
                        break
        except ConfinementError as error:
            yield self._fail("ENV_SANDBOX", str(error))
        except ToolchainUnavailable as error:
            yield self._fail("ENV_TARGET", str(error))
        except TensorsGone as error:
            yield self._fail("ENV_REFERENCE", str(error))
        except Exception as error:
            yield self._failed_by(error)
        finally:
            self._trial_source.forget()
        yield self._verdict()

    def _failed_by(self, error: Exception) -> GateResult:
        """Not judged, for want of room or by a fault of ours."""
        if isinstance(error, OSError) and error.errno in NO_DISK_SPACE:
            return self._fail("ENV_DISK", without_disk_space(error))
        _LOG.error("verifying %s", self._plan.candidate.name, exc_info=error)
        place = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
        return self._fail(
            "ENV_INTERNAL", f"Kernelwright failed with an internal error; please report it: {what}"
        )

    def _fail(self, code: str, message: str) -> GateResult:
        """Not judged, by no fault of the candidate: the first gate that is still open says so."""
        name: GateName = next((n for n in GATES if n not in self._gates), "latency")
        gate = GateResult(gate=name, status="error", findings=(finding(code, message, self._path),))
        self._gates[name] = gate
        return gate

    @property
    def _path(self) -> str:
        return str(self._plan.candidate.path)

    async def _run(self) -> AsyncGenerator[GateResult | EarlyFindings, None]:
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
            async for gate in self._run_without_task(toolchain, hack_gate):
                yield gate
            return

        # -- compile: bind, then build, while the reference already works on the trials
        started = time.monotonic()
        problems = tuple(f for f in plan.findings if f.severity is Severity.ERROR)
        if plan.entry is None or problems:
            yield GateResult.of("compile", plan.findings, time.monotonic() - started)
            return
        try:
            description = await self._steps.timed(
                "describe", self._reference.describe(plan.task, self._size())
            )
            self._description = description
            binding = bind(plan.entry, plan.directive, description, self._path, plan.entry_name)
        except TaskError as error:
            yield _task_gate(error, time.monotonic() - started)
            return
        except BindingFailed as error:
            yield GateResult.of("compile", (*plan.findings, *error.findings), time.monotonic() - started)
            return
        trials_task = asyncio.ensure_future(self._trial_source.trials(plan.task, description))
        screen_task = asyncio.ensure_future(self._screened(plan.task, description, trials_task))
        try:
            built, compile_findings, hack_findings = await self._steps.timed(
                "build", compile_gate.build(plan, binding.call, toolchain, plan.target, self._confinement)
            )
            for step, elapsed in built.elapsed_s.items():
                self._steps.add(f"build.{step}", elapsed)
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
            beyond = beyond_target(plan, compile_findings, built.symbols)
            if beyond:
                compiled = compiled.model_copy(update={"status": "error", "findings": beyond})
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
            trials = await self._steps.timed("reference", trials_task)
            self._screen, further = await self._steps.timed("screen", screen_task)
            # The last stays the last: the hack gate's calls take it up.
            trials = (*trials[:-1], *further, trials[-1])
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
            checker = self._checker = CorrectnessChecker(
                plan,
                plan.task,
                self._options,
                self._seed,
                description,
                binding,
                built,
                toolchain,
                self._reference,
                self._trial_source,
                self._screen,
                self._confinement,
                self._limits,
                self._steps,
            )
            outcome = await checker.judge_chosen(trials)
            if early := checker.in_doubt(outcome):
                yield EarlyFindings(findings=early)
            outcome = await checker.conclude(outcome)
            self._description = checker.description
            weak = task_findings(plan.task, self._screen)
            watched: tuple[Finding, ...] = ()
            if self._options.sanitizer and outcome.judged:
                watched = await self._steps.timed(
                    "sanitizer", self._sanitized(binding, description, trials, built, toolchain, outcome)
                )
            outcome = outcome.model_copy(update={"findings": (*outcome.findings, *watched, *weak)})
            self._outcome = outcome
            self._log = outcome.log
            if not off:
                seen = self._counted(hack.look_at_run(plan, outcome.evidence))
                hack_gate = self._extended(hack_gate, hack.without_consequences(seen))
                yield hack_gate.model_copy(update={"provisional": False})
                if hack_gate.status == "failed":
                    return
            elapsed = time.monotonic() - started
            if not outcome.judged or (not outcome.passed and only_too_large(outcome)):
                yield GateResult(
                    gate="correctness", status="error", elapsed_s=elapsed, findings=outcome.findings
                )
                return
            yield GateResult.of("correctness", outcome.findings, elapsed)
            if not outcome.passed:
                return

            if not off and self._auditor is not None:
                doubts = self._counted(await self._steps.timed("audit", audited(plan, self._auditor)))
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
            self._latency = await self._steps.timed("trace", latency)
            if not off:
                evidence = await self._full_size(checker, toolchain)
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

    async def _run_without_task(
        self, toolchain: Toolchain, hack_gate: GateResult
    ) -> AsyncGenerator[GateResult, None]:
        """Compile alone, or build and run a program that has a `main`."""
        plan = self._plan
        started = time.monotonic()
        problems = tuple(f for f in plan.findings if f.severity is Severity.ERROR)
        if problems:
            yield GateResult.of("compile", plan.findings, 0.0)
            return
        built, findings, hack_findings = await self._steps.timed(
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
        result = await self._steps.timed("run", toolchain.run(built, request, plan.target, self._confinement))
        self._log = result.log
        found = (*run_findings(plan, result), *output_findings(plan, result))
        if self._options.sanitizer and result.status != "error":
            told = sanitized(
                plan, built, toolchain, self._confinement, request, self._options.sanitizer, found
            )
            found = (*found, *await self._steps.timed("sanitizer", told))
        late = excused(found)
        idle = (
            () if late is not None or found or hack_gate.status == "skipped" else idle_findings(plan, result)
        )
        if not idle and late is None and not found and hack_gate.status != "skipped":
            idle = await self._unmoved(built, request, result, toolchain)
        if idle:
            hack_gate = self._extended(hack_gate, hack.labelled("run", idle))
            yield hack_gate
            if hack_gate.status == "failed":
                return
        if result.status == "error" or late is not None:
            found = late or found
            yield GateResult(
                gate="correctness", status="error", elapsed_s=time.monotonic() - started, findings=found
            )
        else:
            correctness = GateResult.of("correctness", found, time.monotonic() - started)
            yield correctness
            if correctness.status == "passed" and self._options.latency and result.coverage.get("launches"):
                advice = await self._advice(built, request, result, toolchain)
                if advice is not None:
                    yield advice

    async def _advice(
        self, built: BuildResult, request: RunRequest, result: RunResult, toolchain: Toolchain
    ) -> GateResult | None:
        """The latency gate of a program: what its launches waste. It gets the time that the check took, and some more."""
        if self._plan.target.where != "cpu" or not isinstance(toolchain, TracesPrograms):
            return None
        started = time.monotonic()
        time_s = min(self._limits.time_s, max(_ADVICE_S, 2 * result.elapsed_s))
        limits = self._limits.model_copy(update={"time_s": time_s})
        asked = request.model_copy(update={"limits": limits})
        told = advise_on_launches(self._plan, built, toolchain, self._plan.target, self._confinement, asked)
        self._latency = await self._steps.timed("trace", told)
        if self._latency is None:
            return None
        return GateResult.of("latency", self._latency.findings, time.monotonic() - started)

    async def _unmoved(
        self, built: BuildResult, request: RunRequest, result: RunResult, toolchain: Toolchain
    ) -> tuple[Finding, ...]:
        """The program once more for each doubt, with kernels that compute nothing or other results, where that is the CPU target's
        to decide."""
        time_s = idle_time_s(self._plan, result, self._limits.time_s)
        if not time_s or self._plan.target.where != "cpu":
            return ()
        limits = self._limits.model_copy(update={"time_s": time_s})
        for doubt in doubts(self._plan, result):
            found: tuple[Finding, ...] = ()
            for changes in doubt.runs:
                asked = request.model_copy(update={**changes, "limits": limits})
                run = toolchain.run(built, asked, self._plan.target, self._confinement)
                found = unmoved_findings(self._plan, result, await self._steps.timed("idle", run), doubt)
                if not found:
                    break
            if found:
                return found
        return ()

    async def _sanitized(
        self,
        binding: Binding,
        description: TaskDescription,
        trials: tuple[Numbered, ...],
        built: BuildResult,
        toolchain: Toolchain,
        outcome: Outcome,
    ) -> tuple[Finding, ...]:
        """What the device's own tools say of the trial that went wrong, or else of the first.

        Args:
            description: of the size at which the trials were drawn.
        """
        told = outcome.findings
        failed = next((f.data["trial"] for f in told if isinstance(f.data.get("trial"), int)), 0)
        trial = next((t for t in trials if t.number == failed), trials[0])
        return await sanitized_trial(
            self._plan,
            binding,
            description,
            trial,
            built,
            toolchain,
            self._confinement,
            self._limits,
            self._options.sanitizer,
            told,
        )

    def _size(self) -> Any:
        """The sizes to ask the reference for: the user's, the directive's, else by its own rules."""
        if self._options.shape:
            return self._options.shape
        if self._options.size == "full":
            return "full"
        return self._plan.sizes or "auto"

    async def _screened(
        self, task: Task, description: TaskDescription, trials: "asyncio.Future[tuple[Numbered, ...]]"
    ) -> tuple[Screen | None, tuple[Numbered, ...]]:
        """What the task itself shows, and the trials that it asks for; after the others, which are waited for."""
        await asyncio.wait([trials])
        if trials.cancelled() or trials.exception() is not None:
            return None, ()
        screen = await self._trial_source.screen(task, description)
        if screen is None:
            return None, ()
        try:
            return screen, await self._trial_source.further(task, description, screen)
        except TaskError:
            return screen, ()

    def _random_task(self, description: TaskDescription) -> Finding:
        drawing = ", ".join(description.random)
        message = (
            f"the reference draws random numbers ({drawing}), so it has no fixed result to compare with. Call "
            ".eval() on the model, or remove the random numbers"
        )
        return finding("TASK_RANDOM", message, str(self._plan.task.path) if self._plan.task else self._path)

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
            self._plan,
            binding,
            full,
            built,
            toolchain,
            self._plan.target,
            self._confinement,
            self._limits,
            self._reference,
            self._options.profile,
        )

    async def _full_size(self, checker: CorrectnessChecker, toolchain: Toolchain) -> hack.TimeEvidence:
        """What the trace, or the clock, shows of the full size; what looks odd there is run there, if it can be."""
        latency, task = self._latency, self._plan.task
        estimate = latency.estimate if latency is not None else None
        if latency is None or task is None or self._outcome is None:
            return hack.TimeEvidence()
        try:
            full = await self._reference.describe(task, "full")
            if latency.error is not None:
                return await self._ended(latency.error, full, checker)
            if estimate is None:
                return hack.TimeEvidence()
            outputs, inputs = await asyncio.to_thread(needed_bytes, full, self._screen)
            evidence = hack.TimeEvidence(
                latency_us=estimate.latency_us,
                measured=estimate.source == "measured",
                floor_us=toolchain.floor_us(outputs + inputs, self._plan.target),
                moved_bytes=outputs + inputs,
                left_behind=latency.left_behind,
            )
            moved = estimate.detail.get("moved")
            if moved is None or self._is_settled(checker):
                return evidence
            odd = oddity(moved, self._outcome.evidence.kernels, outputs, inputs)
            wrong: str | None = None
            larger = await checker.judge_full_size(full) if odd else None
            if larger is not None and larger.judged:
                wrong = next((f.message for f in larger.findings if f.severity is Severity.ERROR), "")
        except TaskError:
            return hack.TimeEvidence()
        return evidence.model_copy(update={"odd_at_full_size": odd, "wrong_at_full_size": wrong})

    async def _ended(
        self, error: Finding, full: TaskDescription, checker: CorrectnessChecker
    ) -> hack.TimeEvidence:
        """What the trace of the full size ended with, if it is wrong there as well, or where that cannot be run, and is sure."""
        if self._is_settled(checker):
            return hack.TimeEvidence()
        larger = await checker.judge_full_size(full, at_any_price=True)
        if larger is not None and larger.judged and not only_too_large(larger):
            # The trace's blocks lie elsewhere in memory: what one calls a host pointer is out of bounds for the other.
            alike = {error.code, *STRAYS} if error.code in STRAYS else {error.code}
            wrong = any(f.code in alike for f in larger.findings if f.severity is Severity.ERROR)
        else:
            wrong = bool(error.data.get("sure"))
        return hack.TimeEvidence(error_at_full_size=error if wrong else None)

    def _is_settled(self, checker: CorrectnessChecker) -> bool:
        """Whether the full size was run, or another one asked for."""
        seen = checker.seen_at_full_size or checker.description.size == "full"
        return seen or self._options.shape is not None

    def _counted(self, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return tuple(f for f in findings if f.data.get("check") not in self._options.without)

    def _extended(self, gate: GateResult, findings: tuple[Finding, ...]) -> GateResult:
        extended = GateResult.of("hack", (*gate.findings, *findings), gate.elapsed_s, provisional=True)
        return without_allowed(extended, self._plan)

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
        eager = self._latency.eager if self._latency else None
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
            device=estimate.detail.get("device") if estimate and estimate.source == "measured" else None,
            reference_latency_us=self._latency.reference_us if self._latency and estimate else None,
            reference_latency_low_us=eager.low_us if eager else None,
            reference_latency_high_us=eager.high_us if eager else None,
            max_error=self._outcome.max_error if self._outcome else None,
            seed=self._seed if description else None,
            reproduce=self._first_reproduce()
            or (reproduce(plan, self._options, self._seed, description) if description else None),
            arguments=self._options.arguments or plan.arguments,
            arguments_from="--args" if self._options.arguments else plan.arguments_from,
            bottleneck=estimate.bottleneck.value if estimate and estimate.bottleneck else None,
            latency_parts=estimate.parts if estimate else {},
            steps_s=self._steps.elapsed_s,
            sandbox=self._sandbox,
            hack_level=plan.configuration.hack.level,
            log=self._log,
            evidence=self._evidence(),
            accesses=tuple(estimate.detail.get("accesses", ())) if estimate else (),
            profiles=tuple(estimate.detail.get("profiles", ())) if estimate else (),
            device_profile=self._latency.profile if self._latency else None,
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
        stages = self._checker.stages if self._checker else ()
        not_tried = self._checker.not_tried if self._checker else ()
        return Evidence(
            stages=tuple(s for s in stages if any(t.stage == s for t in reached)),
            trials=tuple(_without_sizes(t) if t.sizes == own else t for t in reached),
            determinism=outcome.determinism if outcome else None,
            not_tried=tuple(not_tried),
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
    path = plan.candidate.path
    if at is None:
        return finding("TASK_MISSING", f"{path.name} defines no kernel, so it was only compiled", str(path))
    return finding(
        "TASK_MISSING",
        f"{at.name} has no task to be checked against; put {path.stem}.py beside the file, or name a task in "
        "a directive (// kernelwright: task=FILE.py)",
        str(path),
        at.name_range,
        data={"fix": "task", "entry": at.name},
    )


def _task_gate(error: TaskError, elapsed_s: float, gate: GateName = "compile") -> GateResult:
    """A task that cannot be used; by the environment's fault it is not a failure of the candidate."""
    if all(f.code.startswith("ENV_") for f in error.findings):
        return GateResult(gate=gate, status="error", elapsed_s=elapsed_s, findings=error.findings)
    return GateResult.of(gate, error.findings, elapsed_s)


def without_disk_space(error: OSError) -> str:
    """What to say where a file cannot be written for want of room or of the right."""
    where = f" ({error.filename})" if error.filename else ""
    return f"Kernelwright cannot write its files: {error.strerror}{where}; {REMEDY}"


def _without_sizes(trial: TrialEvidence) -> TrialEvidence:
    return trial.model_copy(update={"sizes": {}})


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
