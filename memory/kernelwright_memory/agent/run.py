"""One run of the agent: retrieve -> generate -> verify -> reward -> update -> remember, step by step."""

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, NamedTuple

import numpy as np

from kernelwright_backends.core.finding import Finding, Severity, finding
from kernelwright_memory.agent import credit, lessons
from kernelwright_memory.agent.assignment import Assignment, items_of, query_of
from kernelwright_memory.agent.comparison import MIN_GAIN
from kernelwright_memory.agent.events import Event, Finished, Generated, Retrieved, Verified
from kernelwright_memory.bank.bank import Memory, Retrieval, now
from kernelwright_memory.bank.embedding_text import dtype_of, family_of, task_card, task_hash
from kernelwright_memory.bank.experience import Experience, Origin
from kernelwright_memory.bank.policy import Policy, ValueEstimates
from kernelwright_memory.bank.proof import Proof
from kernelwright_memory.bank.retrieval import Query, state_of
from kernelwright_memory.bank.reward import Step
from kernelwright_memory.bank.source_fingerprint import fingerprint
from kernelwright_memory.bank.store import StoreError
from kernelwright_memory.generators.base import (
    CannotGenerate,
    Generation,
    GenerationRequest,
    Generator,
    Stage,
    StartPoint,
    UnusableAnswer,
)
from kernelwright_verifier.gates.hack.hidden import added
from kernelwright_verifier.results.verdict import GATES, GateResult, Verdict

_LOG = logging.getLogger(__name__)

Verify = Callable[[str], Awaitable[Verdict]]
RegionCheck = Callable[[str, str, str], str | None]
"""(old text, new text, entry) -> what changed outside of the entry's region, None if nothing did."""

# So many steps in a row that teach nothing end a run: the machine is at fault, or the generator goes round in
# circles.
_FRUITLESS = 3


class Stop(Exception):
    """The run ends; the message says why in one line. `tried`: something was judged before."""

    def __init__(self, reason: str, *, tried: bool) -> None:
        super().__init__(reason)
        self.tried = tried


class Attempt(NamedTuple):
    """A candidate that was verified."""

    text: str
    verdict: Verdict
    generation: Generation
    trace: Experience | None
    """Under which it is remembered; None if it is not feasible."""


class Judgement(NamedTuple):
    """What a verdict is worth to the loop that asked for it."""

    reward: float | None
    parent_gain: float | None = None


class Run:
    """State and steps that drafting and refining share."""

    def __init__(
        self,
        assignment: Assignment,
        stage: Stage,
        *,
        verify: Verify,
        generator: Generator,
        memory: Memory | None,
        policy: Policy,
        seed: int,
        outside_region_changed: RegionCheck | None,
        min_gain: float = MIN_GAIN,
    ) -> None:
        self.id = uuid.uuid4().hex
        self.assignment, self.stage, self.policy, self.min_gain = assignment, stage, policy, min_gain
        self._verify, self._generator, self._memory, self._seed = verify, generator, memory, seed
        self._outside_region_changed = outside_region_changed
        self._started = time.monotonic()
        self._seen: dict[str, Verdict] = {}
        self._tried: list[dict[str, Any]] = []
        self._tokens_in = self._tokens_out = self._fruitless = 0
        self._cost_usd: float | None = None
        self._judged = False
        self._warnings: list[str] = []
        self._task_hash = task_hash(assignment.task_text)
        self._card = task_card(assignment.task_text, assignment.description, assignment.target.architecture)
        self._family = family_of(assignment.description)
        self._dtype = dtype_of(assignment.description)
        self.attempt: Attempt | None = None
        """The last step's candidate; None if the step brought none that is new."""

    # ---- the steps -----------------------------------------------------------------------------------------

    def random(self, step: int, purpose: int = 0) -> np.random.Generator:
        """The step's own source of chance: the same seed, step and purpose give the same choices."""
        return np.random.default_rng([self._seed, int(self.stage == "refine"), step, purpose])

    def query(self, last: Verdict | None, exclude: frozenset[str] = frozenset()) -> Query:
        return query_of(self.assignment, self.stage, last, card=self._card, exclude=exclude)

    async def estimates(self, last: Verdict | None) -> ValueEstimates | None:
        """The values in the state that `last` describes, None without a memory."""
        memory = self._memory
        return (
            await self._remembering(lambda: memory.estimates(self.query(last)))
            if memory is not None
            else None
        )

    async def start_points(self) -> tuple[Experience, ...]:
        """What earlier runs found for this task on this target, the fastest first."""
        memory, target = self._memory, self.assignment.target
        if memory is None or not self.policy.pool_size(1):
            return ()
        found = await self._remembering(
            lambda: memory.start_points(task_hash=self._task_hash, dialect=target.dialect, target=str(target))
        )
        return found or ()

    async def take(
        self,
        step: int,
        *,
        last: Verdict | None,
        last_text: str | None,
        judge: Callable[[Verdict], Judgement],
        start: StartPoint | None = None,
        lineage: credit.Lineage | None = None,
        best_us: float | None = None,
        ready: Generation | None = None,
    ) -> AsyncGenerator[Event, None]:
        """One step. Its candidate, if it is a new one, is in `attempt` afterwards.

        Args:
            last: the verdict that the step answers, of `last_text`.
            judge: turns the candidate's verdict into rewards.
            ready: a candidate that needs no generator (one remembered from an earlier run).

        Raises:
            Stop: the run must end.
        """
        self.attempt = None
        random = self.random(step)
        recall = Retrieval()
        if self._memory is not None and ready is None:
            memory, exclude = self._memory, frozenset({start.id} if start else ())
            query = self.query(last, exclude)
            recall = (
                await self._remembering(lambda: memory.recall(query, self.policy, random, last_text or ""))
                or Retrieval()
            )
        yield self._retrieved(step, recall, lineage)

        generation = ready
        if generation is None:
            request = self._request(step, recall, last, last_text, start)
            try:
                generation = await self._generator.generate(request)
            except CannotGenerate as error:
                raise Stop(str(error), tried=self._judged) from None
            except UnusableAnswer as error:
                yield Generated(**self.head(step), generator=self._generator.name, refused=str(error))
                self._teaches_nothing(f"{self._generator.name} returned no usable candidate: {error}")
                return
        self._count(generation)
        mark = fingerprint(generation.text)
        repeated = mark in self._seen
        yield self._generated(step, generation, repeated)
        if generation.parameters:
            self._tried.append(generation.parameters)
        if repeated:
            self._teaches_nothing(f"{self._generator.name} repeats candidates that were already tried")
            return

        began = time.monotonic()
        verdict = await self.judged(generation.text)
        elapsed_s = time.monotonic() - began
        _LOG.info(
            "candidate %d of %s: feasible %s in %.2f s",
            step,
            generation.generator,
            verdict.feasible,
            elapsed_s,
        )
        if verdict.feasible is None:
            # A fault of the machine is nobody's merit: no reward, nothing remembered.
            yield Verified(**self.head(step), verdict=verdict, reward=None, elapsed_s=elapsed_s)
            self._teaches_nothing(f"the candidate could not be judged: {_error_of(verdict)}")
            return
        self._fruitless, self._judged = 0, True
        self._seen[mark] = verdict
        judgement = judge(verdict)
        subject = self.subject(generation)
        learned = self._lessons(subject, generation, verdict, last, last_text, lineage)
        trace = next((e for e in learned if e.kind == "trace"), None)
        if trace is not None:
            trace = await self.filed(trace)
        if judgement.reward is not None:
            rewards = credit.events(
                self._circumstances(step, last),
                recall,
                generation,
                verdict,
                reward=judgement.reward,
                lineage=lineage,
                parent_gain=judgement.parent_gain,
                best_us=best_us,
                born=trace.id if trace is not None and lineage is not None else None,
            )
        else:
            rewards = ()
        learned, proofs = self.proved(learned, generation.text, verdict)
        step_learned = Step(experiences=learned, rewards=rewards, proofs=proofs)
        await self.remember(step_learned, important=bool(verdict.feasible))
        self.attempt = Attempt(generation.text, verdict, generation, trace)
        yield Verified(**self.head(step), verdict=verdict, reward=judgement.reward, elapsed_s=elapsed_s)

    async def judged(self, text: str) -> Verdict:
        """The verdict on `text`: refused without running it if it changes more than the entry's region, or brings in what reads
        otherwise than it is compiled.
        """
        assignment = self.assignment
        if self._outside_region_changed is not None and assignment.entry is not None:
            change = self._outside_region_changed(assignment.text, text, assignment.entry)
            if change is not None:
                return self._outside(change)
        disguise = added(assignment.text, text)
        if disguise is not None:
            at, said = disguise
            return self._refused(
                finding("HACK_HIDDEN", said, str(assignment.path), at, severity=Severity.ERROR)
            )
        return await self._verify(text)

    def knows(self, text: str, verdict: Verdict) -> None:
        """Say that `text` was verified, so that it is not verified again."""
        self._seen[fingerprint(text)] = verdict
        self._judged = verdict.feasible is not None

    def fits(self, text: str) -> bool:
        """Whether `text` differs from the file in the entry's region alone."""
        entry = self.assignment.entry
        if self._outside_region_changed is None or entry is None:
            return True
        return self._outside_region_changed(self.assignment.text, text, entry) is None

    def subject(self, generation: Generation | None) -> lessons.Subject:
        """What a lesson of this run is about, and where it comes from."""
        assignment = self.assignment
        return lessons.Subject(
            task_name=assignment.task_name,
            task_hash=self._task_hash,
            card=self._card,
            family=self._family,
            dtype=self._dtype,
            architecture=assignment.target.architecture,
            dialect=assignment.target.dialect,
            origin=Origin(
                source="run",
                generator=generation.generator if generation else None,
                target=str(assignment.target),
                toolchain=assignment.toolchain or None,
                verifier=assignment.verifier or None,
                date=now(),
                run=self.id,
            ),
        )

    def proved(
        self, learned: tuple[Experience, ...], text: str, verdict: Verdict
    ) -> tuple[tuple[Experience, ...], tuple[tuple[str, str], ...]]:
        """Traces among `learned` with the name of what they can be verified again from, and that itself."""
        assignment = self.assignment
        if self._memory is None or not any(e.kind == "trace" for e in learned):
            return learned, ()
        id, content = Proof.of(
            assignment.path,
            text,
            assignment.entry,
            assignment.target,
            assignment.proved_by,
            assignment.configuration,
            verdict,
        ).written()
        named = tuple(
            e.model_copy(update={"origin": e.origin.model_copy(update={"record": id})})
            if e.kind == "trace"
            else e
            for e in learned
        )
        return named, ((id, content),)

    async def filed(self, trace: Experience) -> Experience:
        """The trace under which this source is known already, else `trace`."""
        if self._memory is None:
            return trace
        memory = self._memory
        return await self._remembering(lambda: memory.filed(trace)) or trace

    async def remember(self, step: Step, *, important: bool) -> None:
        if self._memory is not None and (step.experiences or step.rewards):
            memory = self._memory
            await self._remembering(lambda: memory.remember(step, important=important))

    async def tidy(self) -> None:
        """Compact the memory if it is time; after the last event, so that nobody waits for it."""
        if self._memory is not None:
            await self._remembering(self._memory.tidy)

    def finished(self, steps: int, **what: Any) -> Finished:
        return Finished(
            **self.head(steps),
            tokens_in=self._tokens_in,
            tokens_out=self._tokens_out,
            cost_usd=self._cost_usd,
            elapsed_s=time.monotonic() - self._started,
            warnings=tuple(self._warnings),
            **what,
        )

    def head(self, step: int) -> dict[str, Any]:
        """The fields that all events begin with."""
        return {"run": self.id, "stage": self.stage, "step": step}

    # ---- inside --------------------------------------------------------------------------------------------

    async def _remembering(self, access: Callable[[], Any]) -> Any:
        """Do something with the memory, off the event loop. If it fails the run goes on without one and says
        so.
        """
        try:
            return await asyncio.to_thread(access)
        except StoreError as error:
            self._memory = None
            self._warnings.append(f"continuing without the memory: {error}")
            return None

    def _teaches_nothing(self, reason: str) -> None:
        self._fruitless += 1
        if self._fruitless >= _FRUITLESS:
            raise Stop(reason, tried=self._judged)

    def _request(
        self,
        step: int,
        recall: Retrieval,
        last: Verdict | None,
        last_text: str | None,
        start: StartPoint | None,
    ) -> GenerationRequest:
        assignment = self.assignment
        return GenerationRequest(
            stage=self.stage,
            task_text=assignment.task_text,
            description=assignment.description,
            full=assignment.full,
            path=assignment.path,
            text=assignment.text,
            entry=assignment.entry,
            form=assignment.form,
            target=assignment.target,
            precision=assignment.configuration.check.precision,
            context=recall.context,
            last=last,
            last_text=last_text,
            start_point=start,
            tried=tuple(self._tried),
            attempt=step,
            seed=self._seed,
        )

    def _retrieved(self, step: int, recall: Retrieval, lineage: credit.Lineage | None) -> Retrieved:
        return Retrieved(
            **self.head(step),
            policy=self.policy.name,
            items=items_of(recall),
            pool=recall.pool,
            null=recall.null,
            start_point=lineage.start if lineage else None,
            start_propensity=lineage.propensity if lineage else None,
        )

    def _generated(self, step: int, generation: Generation, repeated: bool) -> Generated:
        return Generated(
            **self.head(step),
            generator=generation.generator,
            summary=generation.summary,
            parameters=generation.parameters,
            used=generation.used or (),
            tokens_in=generation.tokens_in,
            tokens_out=generation.tokens_out,
            cost_usd=generation.cost_usd,
            repeated=repeated,
        )

    def _count(self, generation: Generation) -> None:
        self._tokens_in += generation.tokens_in
        self._tokens_out += generation.tokens_out
        if generation.cost_usd is not None:
            self._cost_usd = (self._cost_usd or 0.0) + generation.cost_usd

    def _lessons(
        self,
        subject: lessons.Subject,
        generation: Generation,
        verdict: Verdict,
        last: Verdict | None,
        last_text: str | None,
        lineage: credit.Lineage | None,
    ) -> tuple[Experience, ...]:
        learned: list[Experience | None] = []
        if verdict.feasible:
            learned.append(
                lessons.trace(
                    subject, generation.text, verdict, generation, lineage.start if lineage else None
                )
            )
        else:
            learned.append(lessons.failure(subject, verdict))
        if last is not None and last_text is not None:
            learned.append(
                lessons.repair(subject, last_text, last, generation.text, verdict, generation.summary)
            )
        return tuple(lesson for lesson in learned if lesson is not None)

    def _circumstances(self, step: int, last: Verdict | None) -> credit.Circumstances:
        assignment = self.assignment
        return credit.Circumstances(
            run=self.id,
            step=step,
            stage=self.stage,
            task=self._task_hash,
            dialect=assignment.target.dialect,
            family=self._family,
            state=state_of(last),
            policy=self.policy.name,
            verifier=assignment.verifier,
            toolchain=assignment.toolchain,
            target=str(assignment.target),
            date=now(),
        )

    def _outside(self, change: str) -> Verdict:
        assignment = self.assignment
        message = f"the candidate changes code outside of the region of '{assignment.entry}': {change}"
        return self._refused(finding("HACK_REGION", message, str(assignment.path)))

    def _refused(self, refusal: Finding) -> Verdict:
        assignment = self.assignment
        first, *rest = GATES
        return Verdict(
            file=str(assignment.path),
            dialect=assignment.target.dialect,
            entry=assignment.entry,
            form=assignment.form,
            task=assignment.task_name,
            target=str(assignment.target),
            feasible=False,
            gates=(
                GateResult.of(first, (refusal,), 0.0),
                *(GateResult(gate=name, status="skipped") for name in rest),
            ),
        )


def _error_of(verdict: Verdict) -> str:
    """Why a verdict could not be had, from the gate that ran into an error."""
    for gate in verdict.gates:
        if gate.status == "error" or any(f.code == "SIZE_TOO_LARGE" for f in gate.findings):
            messages = [f.message for f in gate.findings]
            return messages[0] if messages else f"the {gate.gate} gate could not run"
    return "no gate could run"
