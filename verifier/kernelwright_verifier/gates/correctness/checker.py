"""A candidate that was built, at the size that its plan or the user chose, at larger ones and at other shapes."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from kernelwright_backends.core.finding import Finding, Severity, finding
from kernelwright_backends.core.kernel import ELEMENT_SIZE_BYTES
from kernelwright_backends.core.registry import support_of
from kernelwright_backends.interfaces.toolchain import BuildResult, Confinement, Limits, Toolchain
from kernelwright_verifier.binding import Binding
from kernelwright_verifier.candidate.whole_text import whole_text
from kernelwright_verifier.gates.correctness.outcomes import (
    AMONG_THREADS,
    among_threads,
    as_warnings,
    crowded_out,
    is_little,
    is_nought_but_rounding,
    joined,
    only_too_large,
)
from kernelwright_verifier.gates.correctness.shapes import other_shapes
from kernelwright_verifier.gates.correctness.stages import OF_OTHER_SHAPES, STAGES
from kernelwright_verifier.gates.correctness.trial_source import TrialSource
from kernelwright_verifier.gates.correctness.trials import Numbered, Outcome, run_trials
from kernelwright_verifier.gates.hack import RunEvidence
from kernelwright_verifier.pipeline.elapsed import Steps
from kernelwright_verifier.pipeline.machine_load import excused, out_of_breath
from kernelwright_verifier.pipeline.options import VerifyOptions
from kernelwright_verifier.pipeline.reproduction import reproduce
from kernelwright_verifier.reference.client import Reference, Screen, TaskError
from kernelwright_verifier.results.evidence import Stage
from kernelwright_verifier.task.expression import ExpressionError
from kernelwright_verifier.task.full_size import (
    congruent_sizes,
    crossed_sizes,
    names_larger_sizes,
    outgrown_numbers,
)
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.task.sizes import (
    format_sizes,
    halved_sizes,
    literal_sizes,
    may_know_sizes,
    names_sizes,
    smallest_sizes,
)
from kernelwright_verifier.task.task import Task, TaskDescription
from kernelwright_verifier.task.workload import total_operations

# On a device it is the reference that takes its time: PyTorch in float64 on one core.
_REFERENCE_OPERATIONS_PER_S = 5e8
_MOST_BYTES = 256 << 20
"""Of a task's tensors in one trial; the reference needs several times as much."""
_OF_CLAIMS = (1, 3)
"""the trials that leave what a directive requires: shifted and negative inputs"""
_SHARE_OF_CROSSED = 0.25
"""Of the calls that were made so far, as operations: numbers that may be sizes stand in nearly every text"""
_SHARE_OF_BETWEEN = 0.05
"""Of the time that a trial may take: a size that the text gives reason for"""
_NEXT_TO_NOTHING = 0.0025
"""Of the time that a trial may take: so little is spent however much of it went on what was done so far"""
_PATIENCE = 5.0
"""Times the limit: so long is waited for calls that other work on the machine has crowded out"""
_CALLS_OF_PROBES = 6
"""calls of the hack gate after the trials, each as long as a trial"""
_SHARE_OF_HALVED = 0.25
"""Of the time that a trial may take: what a size in place of the full one takes."""
_SHARE_OF_LAST_RESORT = 16.0
"""Of the time that a trial may take: the estimate is so much too shy for some tasks, and the call is stopped at the limit"""
_OF_LIMITS = frozenset({"LAUNCH_TIME", "LAUNCH_MEMORY", "SIZE_TOO_LARGE"})


class CorrectnessChecker:
    """The stages of correctness for one built candidate (docs/development/verification.md, Stages).

    Attributes:
        description: the size that the verdict is about; a failure at a reduced size may be refuted at a larger one
            (docs/development/verification.md, Sizes).
        stages: those that were reached, in order.
        not_tried: what was left out, and why.
        seen_at_full_size: whether the candidate was run at the task's own size.
    """

    def __init__(
        self,
        plan: Plan,
        task: Task,
        options: VerifyOptions,
        seed: int,
        description: TaskDescription,
        binding: Binding,
        built: BuildResult,
        toolchain: Toolchain,
        reference: Reference,
        drawing: TrialSource,
        screen: Screen | None,
        confinement: Confinement,
        limits: Limits,
        steps: Steps,
    ) -> None:
        self.description = description
        self.stages: list[Stage] = []
        self.not_tried: list[str] = []
        self.seen_at_full_size = False
        self._plan = plan
        self._task = task
        self._options = options
        self._seed = seed
        self._binding = binding
        self._built = built
        self._toolchain = toolchain
        self._reference = reference
        self._trial_source = drawing
        self._screen = screen
        self._numbers: tuple[int, ...] = ()
        self._confinement = confinement
        self._limits = limits
        self._steps = steps

    async def judge_chosen(self, trials: tuple[Numbered, ...]) -> Outcome:
        """Judge at the chosen size alone.

        Raises:
            ConfinementError: nothing here can confine the runner.
        """
        for stage in dict.fromkeys(t.stage for t in trials):
            self._walks(stage)
        self._numbers = tuple(t.number for t in trials)
        return await self._run_with_probes(self.description, trials)

    async def _run_with_probes(self, description: TaskDescription, trials: tuple[Numbered, ...]) -> Outcome:
        """The trials, followed by the calls of the hack gate."""
        outcome = await self._run(description, trials, probing=True)
        if outcome.passed and outcome.evidence.hurried:
            outcome = await self._with_patience(description, trials)
        if self._looks_remembered(outcome):
            outcome = await self._alone(description, trials, outcome)
        return outcome

    def in_doubt(self, outcome: Outcome) -> tuple[Finding, ...]:
        """What failed at the chosen size and may yet be right at a larger one, as warnings."""
        return as_warnings(outcome.findings) if self._is_open(outcome) else ()

    def _is_open(self, outcome: Outcome) -> bool:
        chosen = self._options.shape is not None or self._plan.sizes is not None
        at_reduced = self.description.size != "full" and not chosen
        return at_reduced and outcome.judged and not outcome.passed

    async def conclude(self, outcome: Outcome) -> Outcome:
        """Judge what `judge_chosen` saw by larger sizes and other shapes.

        Raises:
            ConfinementError: nothing here can confine the runner.
        """
        outcome = await self._judge_sizes(outcome)
        outcome = await (self._judge_claims if outcome.passed else self._judge_tables)(outcome)
        if not outcome.passed or not self._walks("shapes"):
            return outcome
        return await self._judge_shapes(outcome)

    async def judge_full_size(self, full: TaskDescription, *, at_any_price: bool = False) -> Outcome | None:
        """One trial at the task's own size; None where it is too large to be run here.

        Args:
            at_any_price: as far as the limit allows, whatever the estimate says.

        Raises:
            TaskError: the task cannot be run at it.
        """
        if self._affordable(full, 1):
            return await self._run_once(full, "full")
        return await self._last_resort(full, 0) if at_any_price else None

    async def _last_resort(self, full: TaskDescription, number: int) -> Outcome | None:
        """One trial at the task's own size, stopped at the limit, where the verdict would stay open without it; None where it
        gave no answer."""
        if not self._affordable(full, 1, _SHARE_OF_LAST_RESORT):
            return None
        try:
            trials = await self._trial_source.trials(self._task, full, {number})
        except TaskError:
            return None
        outcome = await self._steps.timed("full", self._run(full, trials))
        codes = {f.code for f in outcome.findings}
        return outcome if outcome.judged and codes.isdisjoint(_OF_LIMITS) else None

    async def _judge_sizes(self, outcome: Outcome) -> Outcome:
        if self._is_open(outcome):
            try:
                return await self._judge_larger(outcome)
            except TaskError as error:
                return outcome.model_copy(update={"findings": (*outcome.findings, *error.findings)})
        # Sizes that the file itself names keep it from nothing.
        if outcome.passed and self.description.size == "reduced" and self._options.shape is None:
            if self._plan.sizes is not None:
                outcome = await self._judge_unnamed_size(outcome)
            return await self._judge_named_size(outcome) if outcome.passed else outcome
        return outcome

    async def _judge_claims(self, outcome: Outcome) -> Outcome:
        """Right for what the file's own directive requires of the inputs: the task may mean more than that, so somebody who reads
        the verdict is told where it is wrong beyond."""
        others = self._task.requires_by_others
        if others is None or "families" not in self.stages:
            return outcome
        task = self._task.model_copy(update={"requires": others})
        try:
            trials = await self._trial_source.trials(task, self.description, _OF_CLAIMS)
            beyond = await self._steps.timed("claims", self._run(self.description, trials))
        except TaskError:
            return outcome
        if not beyond.judged or beyond.passed:
            return outcome
        claimed = "; ".join(
            f"{name}: {text}" for name, text in self._task.requires.items() if others.get(name) != text
        )
        first = next(f.message for f in beyond.findings if f.severity is Severity.ERROR)
        note = self._finding(
            "TASK_NARROWED",
            f"the kernel is correct only under the directive's own precondition '{claimed}', which the task does "
            f"not state. Beyond it: {first}",
            {"requires": claimed},
        )
        return outcome.model_copy(update={"findings": (*outcome.findings, note)})

    async def _judge_tables(self, outcome: Outcome) -> Outcome:
        """Wrong where inputs hold other values than the task makes in every draw, and right with these: it may be a table, which the
        task can say."""
        if self._screen is None or not self._screen.fixed or not outcome.judged:
            return outcome
        failed = {f.data["trial"] for f in outcome.findings if isinstance(f.data.get("trial"), int)}
        own = {name: f"given({name})" for name in self._screen.fixed}
        task = self._task.model_copy(update={"requires": own | self._task.requires})
        try:
            trials = await self._trial_source.trials(task, self.description, failed or self._numbers)
            with_own = await self._steps.timed("tables", self._run(self.description, trials))
        except TaskError:
            return outcome
        if not with_own.passed:
            return outcome
        return outcome.model_copy(update={"findings": (*outcome.findings, self._fixed(self._screen.fixed))})

    def _fixed(self, names: Sequence[str]) -> Finding:
        """What to declare where inputs are tables."""
        held = ", ".join(f'"{name}": "given({name})"' for name in names)
        return self._finding(
            "TASK_FIXED",
            f"the kernel is correct only while {_listed(names)} the values that the task always generates, and "
            "wrong with others. Read the values from the input; if they never change, declare it in the task: requires = "
            f"{{{held}}}",
            {"inputs": list(names)},
        )

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
        self, description: TaskDescription, trials: tuple[Numbered, ...], outcome: Outcome
    ) -> Outcome:
        """The call that went wrong, made first in a new process, in both orders of the threads: right there, it had been led
        astray by what was kept of the calls before."""
        number = next(f.data["trial"] for f in outcome.findings if f.code == "MISMATCH_VALUE")
        wrong = next((t for t in trials[1:] if t.number == number), None)
        if wrong is None:
            return outcome
        # The numbers say in which order of the threads each is run.
        both = tuple(wrong._replace(number=order) for order in (0, 1))
        alone = await self._run(description, both)
        if not alone.passed:
            return outcome
        told = f"call {number + 1} is wrong after earlier calls and correct when it is made first"
        evidence = outcome.evidence.model_copy(update={"remembered": told})
        return outcome.model_copy(update={"evidence": evidence})

    async def _with_patience(self, description: TaskDescription, trials: tuple[Numbered, ...]) -> Outcome:
        """Once more, with time for the calls that were left out on a busy machine: who passes has been asked everything."""
        outcome = await self._run(description, trials, probing=True, limits=self._patient)
        if not outcome.passed or not outcome.evidence.hurried:
            return outcome
        return self._not_asked(outcome, "the hack gate's additional calls could not be made")

    def _not_asked(self, outcome: Outcome, what: str) -> Outcome:
        """Open, since other work on the machine kept it from a question that may refuse it."""
        late = self._finding(
            "LAUNCH_TIME", f"{what} because other work kept the machine busy; verify again"
        ).model_copy(update={"severity": Severity.WARNING})
        return outcome.model_copy(update={"findings": (*outcome.findings, late), "judged": False})

    async def _judge_named_size(self, outcome: Outcome) -> Outcome:
        """Right at a reduced size; a number in the text between that and the full one may tell the two apart."""
        if self.seen_at_full_size:
            return outcome
        try:
            full = await self._reference.describe(self._task, "full")
            text = whole_text(self._plan)
            note = None
            if not names_larger_sizes(text, self.description, full) or not self._affordable(full, 4):
                note = await self._wrong_where_crossed(text, full, outcome)
                if note is None:
                    return outcome
                if not self._affordable(full, 1):
                    return await self._settle_crossed(full, note, outcome)
            larger = await self._run_once(full, "full")
        except TaskError as error:
            if any(f.code == "SIZE_TOO_LARGE" for f in error.findings) and out_of_breath():
                return self._not_asked(outcome, "the task could not be run at its full size")
            return outcome
        if crowded_out(larger):  # who passes has been asked everything
            return outcome.model_copy(
                update={"findings": (*outcome.findings, *larger.findings), "judged": False}
            )
        if not larger.judged or only_too_large(larger):
            return outcome
        self.seen_at_full_size = True
        if larger.passed:
            return outcome
        self.description = full
        return larger.model_copy(update={"evidence": outcome.evidence})

    async def _settle_crossed(self, full: TaskDescription, note: Finding, outcome: Outcome) -> Outcome:
        """Wrong where single constants are full, as `note` says, and the full size is too large by the estimate."""
        noted = (*outcome.findings, note)
        if not await self._right_uncrossed(note.data["sizes"]):
            # A grid without blocks where constants are smaller than a tile says nothing of the one that is full.
            of_others = note.data["code"] == "LAUNCH_CONFIGURATION"
            return outcome if of_others else outcome.model_copy(update={"findings": noted})
        if (amiss := await self._amiss_among_threads(full, note.data["code"])) is not None:
            return amiss.model_copy(update={"evidence": outcome.evidence})
        larger = await self._last_resort(full, 0)
        if larger is None and note.data["code"].startswith("MEM_"):
            # What is out of bounds where a constant has the task's own value is so at its own size, unless the others matter.
            too_large = self._too_large(
                "it accesses memory out of bounds at sizes between the reduced ones and the task's own"
            )
            return outcome.model_copy(update={"findings": (*noted, too_large), "judged": False})
        if larger is None:
            return outcome.model_copy(update={"findings": noted})
        self.seen_at_full_size = True
        if larger.passed:
            return outcome.model_copy(update={"findings": noted})
        self.description = full
        return larger.model_copy(update={"evidence": outcome.evidence})

    async def _amiss_among_threads(self, full: TaskDescription, code: str) -> Outcome | None:
        """What goes wrong among threads, as at a size between, where sizes share the full one's divisors; the verdict is then of
        these. None where it does not, or nothing of the kind did."""
        compared = _scalar_sizes(self.description)
        lost = {name: value for name, value in full.sizes.items() if compared.get(name) != value}
        description = await self._halved(lost, 1) if code in AMONG_THREADS else None
        if description is None:
            return None
        trials = await self._trial_source.trials(self._task, description, {1})
        halved = await self._steps.timed(
            "crossed", self._run(description, trials, _scalar_sizes(description))
        )
        if code not in among_threads(halved):
            return None
        self.description = description
        return halved

    async def _right_uncrossed(self, wrong: dict[str, int]) -> bool:
        """Whether it is right where it was `wrong`, once the constants that are larger there than at the compared size are as small
        as they are there: else it was some other constant that was too small for it."""
        compared = _scalar_sizes(self.description)
        sizes = {name: min(value, compared.get(name, value)) for name, value in wrong.items()}
        if sizes == compared:
            return True
        return (await self._run_once(await self._reference.describe(self._task, sizes), "crossed")).passed

    async def _wrong_where_crossed(
        self, text: str, full: TaskDescription, outcome: Outcome
    ) -> Finding | None:
        """What is wrong where single constants are full that a number of the text may tell from reduced ones, as far as that
        adds little to the calls that `outcome` took: then the full size is worth its price."""
        return (
            await self._wrong_where_literal(text, full, outcome)
            or await self._wrong_where_alike(text, full)
            or await self._wrong_where_outgrown(text, full)
        )

    async def _wrong_where_alike(self, text: str, full: TaskDescription) -> Finding | None:
        """What is wrong where blocks and vectors leave the same over as at full size."""
        sizes = congruent_sizes(text, self.description, full)
        if not sizes:
            return None
        return await self._wrong_at({**_scalar_sizes(self.description), **sizes})

    async def _wrong_where_outgrown(self, text: str, full: TaskDescription) -> Finding | None:
        """What is wrong where tensors have more elements than a variable of a narrow type counts, by as few constants as that
        takes, the others as small as they can be."""
        left = outgrown_numbers(text, self.description, full)
        if not left:
            return None
        compared = _scalar_sizes(self.description)
        grown = {n: v for n, v in _scalar_sizes(full).items() if compared.get(n, v) < v}
        smallest = smallest_sizes(compared, full.sizes)
        for names in (*itertools.combinations(grown, 1), *itertools.combinations(grown, 2)):
            sizes = {**smallest, **{name: grown[name] for name in names}}
            description = await self._reference.describe(self._task, sizes)
            outgrown = left & outgrown_numbers(text, self.description, description)
            if outgrown and (note := await self._wrong_at(sizes)) is not None:
                return note
            left = left - outgrown
            if not left:
                break
        return None

    async def _wrong_at(self, sizes: dict[str, int]) -> Finding | None:
        """What one trial shows at sizes between those that were compared and the task's own, where it is cheap."""
        description = await self._reference.describe(self._task, sizes)
        if not self._affordable(description, 1, _SHARE_OF_BETWEEN):
            return None
        seen = await self._run_once(description, "crossed")
        if not seen.judged or seen.passed or only_too_large(seen):
            return None
        return self._specialised(description, self.description, seen)

    async def _wrong_where_literal(
        self, text: str, full: TaskDescription, outcome: Outcome
    ) -> Finding | None:
        """What is wrong where constants are full that have a number of the text between their values."""
        crossed = crossed_sizes(text, self.description, full)
        if not crossed:
            return None
        left = _SHARE_OF_CROSSED * outcome.made * total_operations(self.description)
        compared = _scalar_sizes(self.description)
        smallest = smallest_sizes(compared, full.sizes)
        # Where all of them are too dear, a number may still be held against one of them, the others as small as they can be.
        for some in (crossed, *({name: size} for name, size in crossed.items() if len(crossed) > 1)):
            single = some != crossed or len(crossed) == 1
            for sizes in _between(some, compared, smallest, halved=single):
                description = await self._reference.describe(self._task, sizes)
                operations = total_operations(description)
                little = operations <= left or self._affordable(description, 1, _NEXT_TO_NOTHING)
                if not little or not self._affordable(description, 1):
                    continue
                left -= operations
                seen = await self._run_once(description, "crossed")
                if some == crossed and seen.judged and seen.passed:
                    return None
                if not seen.judged or seen.passed or only_too_large(seen):
                    break
                note = self._specialised(description, self.description, seen)
                # A grid without blocks, where others are smaller than a tile, says nothing of those that are not.
                shrunk = any(sizes[name] < value for name, value in compared.items())
                if not shrunk or note.data["code"] != "LAUNCH_CONFIGURATION":
                    return note
        return None

    async def _judge_unnamed_size(self, outcome: Outcome) -> Outcome:
        """Right at the sizes that the file's own directive names, which may make another task of it (a sum of one element): at
        full size where that can be run, else at those that would be taken without it."""
        named = self.description
        try:
            for size in ("full", "auto"):
                description = await self._reference.describe(self._task, size)
                if description.sizes == named.sizes or not self._affordable(description, 1):
                    continue
                larger = await self._run_once(description, size)
                if not larger.judged or only_too_large(larger):
                    continue
                self.seen_at_full_size = size == "full"
                if larger.passed:
                    return outcome
                if size == "full":
                    self.description = description
                    return larger.model_copy(update={"evidence": outcome.evidence})
                note = self._specialised(description, named, larger)
                return outcome.model_copy(update={"findings": (*outcome.findings, note)})
        except TaskError:
            pass
        return outcome

    async def _run_once(self, description: TaskDescription, step: str) -> Outcome:
        """One trial at other sizes, timed as a step of that name."""
        trials = await self._trial_source.trials(self._task, description, {1})
        outcome = await self._steps.timed(step, self._run(description, trials))
        if crowded_out(outcome):
            outcome = await self._steps.timed(step, self._run(description, trials, limits=self._patient))
        return outcome

    async def _judge_larger(self, outcome: Outcome) -> Outcome:
        """A failure at a reduced size, at sizes for which the text may be written."""
        text, reduced = whole_text(self._plan), self.description
        full = await self._reference.describe(self._task, "full")
        lost = {name: value for name, value in full.sizes.items() if reduced.sizes.get(name) != value}
        kept = literal_sizes(text, lost)
        attempts: list[Any] = [{**_scalar_sizes(reduced), **kept}] if kept else []
        attempts.append("full")
        # Large sizes are dear: the task's own inputs, and those that failed, without which a larger size refutes nothing.
        failed = next((f.data["trial"] for f in outcome.findings if isinstance(f.data.get("trial"), int)), 0)
        numbers = {0, failed}
        # What is wrong in a few last places alone is so at any size, unless one stands in the text.
        a_little = is_little(outcome) and not names_sizes(text, lost)
        for_any_size = a_little or not may_know_sizes(text, lost)
        for size in attempts:
            description = await self._reference.describe(self._task, size)
            if not self._affordable(description, len(numbers)):
                continue
            trials = await self._trial_source.trials(self._task, description, numbers)
            shown = size == "full" and not for_any_size
            larger = await self._run(description, trials, explained=shown)
            if larger.passed:
                larger = await self._asked_everything(description, larger, a_little=a_little)
            if larger.passed:
                self.description = description
                note = self._specialised(reduced, description, outcome)
                return larger.model_copy(update={"findings": (*larger.findings, note)})
            if size == "full" and larger.judged:
                # The last answer refuses; what the small size showed is easier to look at.
                if for_any_size:
                    return outcome
                self.description = description
                return larger
        halved = await self._judge_halved(lost, numbers, a_little=a_little)
        if halved is not None and halved.passed:
            note = self._specialised(reduced, self.description, outcome)
            return halved.model_copy(update={"findings": (*halved.findings, note)})
        if for_any_size or (halved is not None and among_threads(outcome) & among_threads(halved)):
            return outcome
        own = await self._last_resort(full, failed)
        if own is not None and not own.passed:
            self.description = full
            return own
        # One trial that is right refutes none of the others.
        too_large = self._too_large(
            "the kernel fails at reduced sizes but may be written for the task's own sizes",
            {"reduced": [f.code for f in outcome.findings]},
        )
        return outcome.model_copy(
            update={"findings": (*as_warnings(outcome.findings), too_large), "judged": False}
        )

    async def _asked_everything(
        self, description: TaskDescription, larger: Outcome, *, a_little: bool
    ) -> Outcome:
        """Right at a larger size alone, so that no answer at the reduced one counted: all that was asked there is asked here, or as
        much of it as the time allows.

        Args:
            a_little: what was wrong is so small that it may be lost in what the larger size allows: less than everything refutes
                nothing.
        """
        for numbers in (self._numbers,) if a_little else (self._numbers, self._numbers[:2]):
            if not self._affordable(description, _CALLS_OF_PROBES + len(numbers)):
                continue
            trials = await self._trial_source.trials(self._task, description, numbers)
            self._screen = await self._trial_source.screen(self._task, description)
            asked = await self._steps.timed("larger", self._run_with_probes(description, trials))
            if asked.judged:
                return asked
        return larger.model_copy(update={"judged": False}) if a_little else larger

    async def _judge_halved(
        self, lost: dict[str, Any], numbers: set[int], *, a_little: bool
    ) -> Outcome | None:
        """Where the full size is too large to be run: the largest affordable one that shares its divisors; that of the verdict, if
        it is right there. None where there is none."""
        description = await self._halved(lost, len(numbers))
        if description is None:
            return None
        trials = await self._trial_source.trials(self._task, description, numbers)
        larger = await self._run(description, trials, explained=False)
        if larger.passed:
            larger = await self._asked_everything(description, larger, a_little=a_little)
        if larger.passed:
            self.description = description
        return larger

    async def _halved(self, lost: dict[str, Any], trials: int) -> TaskDescription | None:
        """The largest affordable size that shares the full one's divisors."""
        compared = _scalar_sizes(self.description)
        for halved in halved_sizes(lost):
            sizes = {**compared, **halved}
            if sizes == compared:
                return None
            description = await self._reference.describe(self._task, sizes)
            if self._affordable(description, trials, _SHARE_OF_HALVED):
                return description
        return None

    async def _judge_shapes(self, outcome: Outcome) -> Outcome:
        """The shapes that the task declares, each an error if it fails; on request others, which are evidence alone."""
        held = self.description
        declared = [dict(shape) for shape in (*held.shapes, *self._task.shapes)]
        own = held.sizes
        for shape in (s for s in declared if any(own.get(name) != value for name, value in s.items())):
            tried = await self._try_shape("shapes", shape)
            if tried is None:
                continue
            outcome = joined(outcome, tried)
            if not tried.passed:
                return outcome
        if not self._walks("undeclared"):
            return outcome
        for shape in other_shapes(held.sizes, declared):
            tried = await self._try_shape("undeclared", shape)
            if tried is None:
                continue
            failed = next((f for f in tried.findings if f.severity is Severity.ERROR), None)
            if failed is not None and is_nought_but_rounding(tried, outcome):
                continue
            if failed is not None:
                note = self._finding(
                    "SHAPE_SPECIALISED",
                    f"the kernel is correct at {self._own_shapes} and wrong at {format_sizes(shape)}, which the task does "
                    f"not declare: {failed.message}",
                    {"shape": shape, "code": failed.code},
                )
                kept = tried.model_copy(update={"findings": (note,), "evidence": outcome.evidence})
                return joined(outcome, kept)
            outcome = joined(outcome, tried)
        return outcome

    @property
    def _own_shapes(self) -> str:
        """What was run, in words: of a size that was not, nothing is known."""
        if self.seen_at_full_size or self.description.size != "reduced":
            return "the task's own shapes"
        return format_sizes(self.description.sizes) or "the task's own shapes"

    async def _try_shape(self, stage: Stage, shape: dict[str, Any]) -> Outcome | None:
        """One trial at another shape; None where there is none, and the evidence says why."""
        asked = {**_scalar_sizes(self.description), **shape}
        try:
            description = await self._reference.describe(self._task, asked)
            if not self._affordable(description, 1):
                self.not_tried.append(f"{format_sizes(shape)} is too large to run within the limit")
                return None
            trial = await self._trial_source.trial(self._task, description, OF_OTHER_SHAPES)
        except TaskError as error:
            self.not_tried.append(f"{format_sizes(shape)}: {error.findings[0].message}")
            if stage == "undeclared" or all(f.code.startswith("ENV_") for f in error.findings):
                return None
            # The task itself does not work at a shape that it declares: no fault of the candidate.
            return Outcome(findings=as_warnings(error.findings), evidence=RunEvidence())
        numbered = Numbered(OF_OTHER_SHAPES, trial, stage, dict(description.sizes))
        return await self._run(description, (numbered,), asked)

    async def _run(
        self,
        description: TaskDescription,
        trials: tuple[Numbered, ...],
        shape: dict[str, Any] | None = None,
        *,
        probing: bool = False,
        explained: bool = True,
        limits: Limits | None = None,
    ) -> Outcome:
        try:
            outcome = await run_trials(
                self._plan,
                self._binding,
                description,
                trials,
                self._built,
                self._toolchain,
                self._plan.target,
                self._confinement,
                limits or self._limits,
                reproduce(self._plan, self._options, self._seed, description, shape),
                self._screen,
                probing and self._probes,
                explained,
            )
        except ExpressionError as error:
            at = self._plan.directive.place("args") if self._plan.directive else None
            path = str(self._plan.candidate.path)
            problem = finding("BIND_EXPRESSION", str(error), path, *([at] if at else []))
            return Outcome(findings=(problem,), evidence=RunEvidence())
        for step, elapsed in outcome.steps_s.items():
            self._steps.add(step, elapsed)
        late = excused(outcome.findings)
        return outcome if late is None else outcome.model_copy(update={"findings": late, "judged": False})

    def _walks(self, stage: Stage) -> bool:
        """Whether a stage is asked for; notes that it was reached."""
        wanted = STAGES.index(stage) <= STAGES.index(self._options.asked_stage)
        if wanted and stage not in self.stages:
            self.stages.append(stage)
        return wanted

    @property
    def _probes(self) -> bool:
        """Whether the runner makes the calls of the hack gate behind the trials; an NPU's does not."""
        target = self._plan.target
        on_npu = (target.dialect, target.where) == ("ascendc", "npu")
        return self._plan.configuration.hack.level != "off" and not on_npu

    @property
    def _patient(self) -> Limits:
        """For calls that other work on the machine has crowded out."""
        return self._limits.model_copy(update={"time_s": _PATIENCE * self._limits.time_s})

    def _affordable(self, description: TaskDescription, trials: int, share: float = 1.0) -> bool:
        on_cpu = self._plan.target.where == "cpu"
        emulated = support_of(self._plan.index.dialect).emulated_operations_per_s
        rate = emulated if on_cpu else _REFERENCE_OPERATIONS_PER_S
        tensors = [*(a.tensor for a in description.forward if a.tensor is not None), *description.outputs]
        held = sum(spec.numel * ELEMENT_SIZE_BYTES.get(spec.dtype, 4) for spec in tensors)
        if on_cpu and held > _MOST_BYTES:
            return False
        return trials * total_operations(description) / rate <= share * self._limits.time_s

    def _specialised(self, reduced: TaskDescription, held: TaskDescription, outcome: Outcome) -> Finding:
        first = next((f for f in outcome.findings if f.severity is Severity.ERROR), None)
        told = first.message if first is not None else ""
        return self._finding(
            "SHAPE_SPECIALISED",
            f"the kernel is correct at {format_sizes(held.sizes) or 'its own size'} and wrong at "
            f"{format_sizes(reduced.sizes)}: {told}",
            {"code": first.code if first is not None else "", "sizes": _scalar_sizes(reduced)},
        )

    def _too_large(self, what: str, data: dict[str, Any] | None = None) -> Finding:
        return self._finding(
            "SIZE_TOO_LARGE",
            f"{what}, which cannot run here within {self._limits.time_s:g} s. Raise [limits] time_s and pass "
            '--size full, or set sizes it supports as SMALL in the task or size="..." in the directive',
            data,
        )

    def _finding(self, code: str, message: str, data: dict[str, Any] | None = None) -> Finding:
        """At the name of the entry."""
        at = [self._plan.entry.name_range] if self._plan.entry else []
        return finding(code, message, str(self._plan.candidate.path), *at, data=data or {})


def _between(
    larger: dict[str, int], compared: dict[str, int], smallest: dict[str, int], *, halved: bool
) -> Iterator[dict[str, int]]:
    """Sizes at which constants are `larger`: the others as they were compared, then as small as they can be, and, with `halved`,
    since that may be less than a tile, with fewer powers of two beside others as they were compared."""
    yield {**compared, **larger}
    yield {**smallest, **larger}
    for fewer in halved_sizes(larger) if halved else ():
        if any(value <= compared.get(name, value) for name, value in fewer.items()):
            break
        yield {**compared, **fewer}


def _listed(names: Sequence[str]) -> str:
    return f"{' and '.join(repr(name) for name in names)} {'holds' if len(names) == 1 else 'hold'}"


def _scalar_sizes(description: TaskDescription) -> dict[str, int]:
    return {name: value for name, value in description.sizes.items() if isinstance(value, int)}
