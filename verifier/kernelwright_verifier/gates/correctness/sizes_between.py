"""Right at a reduced size: sizes between that and the task's own which the text, or its numbers, may tell apart."""

import itertools
from collections.abc import Iterator

from kernelwright_backends.core.finding import Finding
from kernelwright_verifier.candidate.whole_text import whole_text
from kernelwright_verifier.gates.correctness.outcomes import (
    AMONG_THREADS,
    among_threads,
    crowded_out,
    only_too_large,
)
from kernelwright_verifier.gates.correctness.size_findings import scalar_sizes, specialised, too_large
from kernelwright_verifier.gates.correctness.trial_runs import TrialRuns
from kernelwright_verifier.gates.correctness.trials import Outcome
from kernelwright_verifier.pipeline.machine_load import under_load
from kernelwright_verifier.reference.client import TaskError
from kernelwright_verifier.task.full_size import (
    congruent_sizes,
    crossed_sizes,
    names_larger_sizes,
    outgrown_numbers,
)
from kernelwright_verifier.task.sizes import halved_sizes, smallest_sizes
from kernelwright_verifier.task.task import TaskDescription
from kernelwright_verifier.task.workload import total_operations

_SHARE_OF_CROSSED = 0.25
"""Of the calls that were made so far, as operations: numbers that may be sizes stand in nearly every text"""
_SHARE_OF_BETWEEN = 0.05
"""Of the time that a trial may take: a size that the text gives reason for"""
_NEXT_TO_NOTHING = 0.0025
"""Of the time that a trial may take: so little is spent however much of it went on what was done so far"""


async def judge_named_size(runs: TrialRuns, outcome: Outcome) -> Outcome:
    """Right at a reduced size; a number in the text between that and the full one may tell the two apart."""
    if runs.seen_at_full_size:
        return outcome
    try:
        full = await runs.describe("full")
        text = whole_text(runs.plan)
        note = None
        if not names_larger_sizes(text, runs.description, full) or not runs.affordable(full, 4):
            note = await _wrong_where_crossed(runs, text, full, outcome)
            if note is None:
                return outcome
            if not runs.affordable(full, 1):
                return await _settle_crossed(runs, full, note, outcome)
        larger = await runs.run_once(full, "full")
    except TaskError as error:
        if any(f.code == "SIZE_TOO_LARGE" for f in error.findings) and under_load():
            return runs.not_asked(outcome, "the task could not be run at its full size")
        return outcome
    if crowded_out(larger):  # who passes has been asked everything
        return outcome.model_copy(update={"findings": (*outcome.findings, *larger.findings), "judged": False})
    if not larger.judged or only_too_large(larger):
        return outcome
    runs.seen_at_full_size = True
    if larger.passed:
        return outcome
    runs.description = full
    return larger.model_copy(update={"evidence": outcome.evidence})


async def judge_unnamed_size(runs: TrialRuns, outcome: Outcome) -> Outcome:
    """Right at the sizes that the file's own directive names, which may make another task of it (a sum of one element): at
    full size where that can be run, else at those that would be taken without it."""
    named = runs.description
    try:
        for size in ("full", "auto"):
            description = await runs.describe(size)
            if description.sizes == named.sizes or not runs.affordable(description, 1):
                continue
            larger = await runs.run_once(description, size)
            if not larger.judged or only_too_large(larger):
                continue
            runs.seen_at_full_size = size == "full"
            if larger.passed:
                return outcome
            if size == "full":
                runs.description = description
                return larger.model_copy(update={"evidence": outcome.evidence})
            note = specialised(runs.plan, description, named, larger)
            return outcome.model_copy(update={"findings": (*outcome.findings, note)})
    except TaskError:
        pass
    return outcome


async def _settle_crossed(runs: TrialRuns, full: TaskDescription, note: Finding, outcome: Outcome) -> Outcome:
    """Wrong where single constants are full, as `note` says, and the full size is too large by the estimate."""
    noted = (*outcome.findings, note)
    if not await _right_uncrossed(runs, note.data["sizes"]):
        # A grid without blocks where constants are smaller than a tile says nothing of the one that is full.
        of_others = note.data["code"] == "LAUNCH_CONFIGURATION"
        return outcome if of_others else outcome.model_copy(update={"findings": noted})
    if (amiss := await _amiss_among_threads(runs, full, note.data["code"])) is not None:
        return amiss.model_copy(update={"evidence": outcome.evidence})
    larger = await runs.last_resort(full, 0)
    if larger is None and note.data["code"].startswith("MEM_"):
        # What is out of bounds where a constant has the task's own value is so at its own size, unless the others matter.
        unanswered = too_large(
            runs.context,
            "it accesses memory out of bounds at sizes between the reduced ones and the task's own",
        )
        return outcome.model_copy(update={"findings": (*noted, unanswered), "judged": False})
    if larger is None:
        return outcome.model_copy(update={"findings": noted})
    runs.seen_at_full_size = True
    if larger.passed:
        return outcome.model_copy(update={"findings": noted})
    runs.description = full
    return larger.model_copy(update={"evidence": outcome.evidence})


async def _amiss_among_threads(runs: TrialRuns, full: TaskDescription, code: str) -> Outcome | None:
    """What goes wrong among threads, as at a size between, where sizes share the full one's divisors; the verdict is then of
    these. None where it does not, or nothing of the kind did."""
    compared = scalar_sizes(runs.description)
    lost = {name: value for name, value in full.sizes.items() if compared.get(name) != value}
    description = await runs.largest_halved(lost, 1) if code in AMONG_THREADS else None
    if description is None:
        return None
    trials = await runs.trials(description, {1})
    halved = await runs.context.steps.timed(
        "crossed", runs.run(description, trials, scalar_sizes(description))
    )
    if code not in among_threads(halved):
        return None
    runs.description = description
    return halved


async def _right_uncrossed(runs: TrialRuns, wrong: dict[str, int]) -> bool:
    """Whether it is right where it was `wrong`, once the constants that are larger there than at the compared size are as small
    as they are there: else it was some other constant that was too small for it."""
    compared = scalar_sizes(runs.description)
    sizes = {name: min(value, compared.get(name, value)) for name, value in wrong.items()}
    if sizes == compared:
        return True
    return (await runs.run_once(await runs.describe(sizes), "crossed")).passed


async def _wrong_where_crossed(
    runs: TrialRuns, text: str, full: TaskDescription, outcome: Outcome
) -> Finding | None:
    """What is wrong where single constants are full that a number of the text may tell from reduced ones, as far as that
    adds little to the calls that `outcome` took: then the full size is worth its price."""
    return (
        await _wrong_where_literal(runs, text, full, outcome)
        or await _wrong_where_alike(runs, text, full)
        or await _wrong_where_outgrown(runs, text, full)
    )


async def _wrong_where_literal(
    runs: TrialRuns, text: str, full: TaskDescription, outcome: Outcome
) -> Finding | None:
    """What is wrong where constants are full that have a number of the text between their values."""
    crossed = crossed_sizes(text, runs.description, full)
    if not crossed:
        return None
    left = _SHARE_OF_CROSSED * outcome.made * total_operations(runs.description)
    compared = scalar_sizes(runs.description)
    smallest = smallest_sizes(compared, full.sizes)
    # Where all of them are too dear, a number may still be held against one of them, the others as small as they can be.
    for some in (crossed, *({name: size} for name, size in crossed.items() if len(crossed) > 1)):
        single = some != crossed or len(crossed) == 1
        for sizes in _between(some, compared, smallest, halved=single):
            description = await runs.describe(sizes)
            operations = total_operations(description)
            little = operations <= left or runs.affordable(description, 1, _NEXT_TO_NOTHING)
            if not little or not runs.affordable(description, 1):
                continue
            left -= operations
            seen = await runs.run_once(description, "crossed")
            if some == crossed and seen.judged and seen.passed:
                return None
            if not seen.judged or seen.passed or only_too_large(seen):
                break
            note = specialised(runs.plan, description, runs.description, seen)
            # A grid without blocks, where others are smaller than a tile, says nothing of those that are not.
            shrunk = any(sizes[name] < value for name, value in compared.items())
            if not shrunk or note.data["code"] != "LAUNCH_CONFIGURATION":
                return note
    return None


async def _wrong_where_alike(runs: TrialRuns, text: str, full: TaskDescription) -> Finding | None:
    """What is wrong where blocks and vectors leave the same over as at full size."""
    sizes = congruent_sizes(text, runs.description, full)
    if not sizes:
        return None
    return await _wrong_at(runs, {**scalar_sizes(runs.description), **sizes})


async def _wrong_where_outgrown(runs: TrialRuns, text: str, full: TaskDescription) -> Finding | None:
    """What is wrong where tensors have more elements than a variable of a narrow type counts, by as few constants as that
    takes, the others as small as they can be."""
    left = outgrown_numbers(text, runs.description, full)
    if not left:
        return None
    compared = scalar_sizes(runs.description)
    grown = {n: v for n, v in scalar_sizes(full).items() if compared.get(n, v) < v}
    smallest = smallest_sizes(compared, full.sizes)
    for names in (*itertools.combinations(grown, 1), *itertools.combinations(grown, 2)):
        sizes = {**smallest, **{name: grown[name] for name in names}}
        description = await runs.describe(sizes)
        outgrown = left & outgrown_numbers(text, runs.description, description)
        if outgrown and (note := await _wrong_at(runs, sizes)) is not None:
            return note
        left = left - outgrown
        if not left:
            break
    return None


async def _wrong_at(runs: TrialRuns, sizes: dict[str, int]) -> Finding | None:
    """What one trial shows at sizes between those that were compared and the task's own, where it is cheap."""
    description = await runs.describe(sizes)
    if not runs.affordable(description, 1, _SHARE_OF_BETWEEN):
        return None
    seen = await runs.run_once(description, "crossed")
    if not seen.judged or seen.passed or only_too_large(seen):
        return None
    return specialised(runs.plan, description, runs.description, seen)


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
