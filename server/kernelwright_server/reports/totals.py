"""What many verdicts come to: a table by outcome, and one line that counts them."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from kernelwright_backends.display.visible import visible_line
from kernelwright_server.reports.outcome import STYLES, why
from kernelwright_verifier.results.cross_target import unsupported
from kernelwright_verifier.results.verdict import Outcome, Verdict

_ORDER: tuple[Outcome, ...] = ("refused", "not judged", "safe", "correct")
_NAMED = 12
"""entries of one outcome that are named; the others are counted"""


def print_totals(console: Console, verdicts: Sequence[Verdict]) -> None:
    """A row an outcome, with the entries that want a person's eye, and the counts. An entry of several targets counts once."""
    outcomes = _by_entry(verdicts)
    console.print()
    for outcome in _ORDER:
        of_it = [verdict for verdict in outcomes if verdict.outcome == outcome]
        if not of_it:
            continue
        console.print(
            Text.assemble(f"{len(of_it):4} ", (outcome, STYLES[outcome])), soft_wrap=True, highlight=False
        )
        if outcome in ("refused", "not judged"):
            for verdict in of_it[:_NAMED]:
                name = " ".join(filter(None, (verdict.file, verdict.entry)))
                console.print(f"       {visible_line(name)}: {visible_line(why(verdict))}", soft_wrap=True)
            if len(of_it) > _NAMED:
                console.print(f"       and {len(of_it) - _NAMED} more")
    console.print(totals(outcomes))


def totals(verdicts: Sequence[Verdict]) -> str:
    """`3 judged, 14 safe without a task, 2 not judged`."""
    outcomes = [verdict.outcome for verdict in verdicts]
    judged = outcomes.count("correct") + outcomes.count("refused")
    return f"{judged} judged, {outcomes.count('safe')} safe without a task, {outcomes.count('not judged')} not judged"


def _by_entry(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """For each entry the verdict that decides: a refusal, else one that is open, else one that is right."""
    worst: dict[tuple[str, str | None], Verdict] = {}
    right = {(v.file, v.entry) for v in verdicts if v.feasible}
    for verdict in verdicts:
        if verdict.dialect is None:
            continue  # a task that was named by itself
        key = verdict.file, verdict.entry
        if key in right and unsupported(verdict):
            continue
        if key not in worst or _ORDER.index(verdict.outcome) < _ORDER.index(worst[key].outcome):
            worst[key] = verdict
    return list(worst.values())
