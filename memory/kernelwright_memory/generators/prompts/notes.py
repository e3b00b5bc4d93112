"""What a question shows of the memory: a few notes under labels, and cards of the interface."""

import re

from kernelwright_memory.bank.experience import Experience
from kernelwright_memory.generators.prompts.filling import data, one_line
from kernelwright_memory.generators.prompts.kernels import shown_kernel

NOTES = 3
CARDS = 4
_LONGEST = 8000
_LONGEST_KERNEL = 12_000
_FENCE = re.compile(r"^```", re.MULTILINE)


def label(number: int) -> str:
    """By what a note is called in the prompt; models repeat short labels better than hashes."""
    return f"N{number + 1}"


def shown(context: tuple[Experience, ...], *, manual: bool, answers: frozenset[str]) -> tuple[int, ...]:
    """Places in the context of what a question shows: at most three notes, of which one answers the last findings if any does,
    and a few cards.

    Args:
        manual: the dialect's own cards stand in the question; those of the memory would say the same.
        answers: codes of the last findings.
    """
    others = [n for n, note in enumerate(context) if note.kind != "api"]
    answering = [n for n in others if answers.intersection((context[n].diagnosis or "").split()[:1])][:1]
    chosen = [*answering, *(n for n in others if n not in answering)][:NOTES]
    known = [n for n, note in enumerate(context) if note.kind == "api" and not manual][:CARDS]
    return tuple(sorted(chosen)) + tuple(known)


def notes(context: tuple[Experience, ...], places: tuple[int, ...]) -> str:
    """Notes under the labels of their places in the context."""
    return "\n\n".join(
        f"{label(n)}. {one_line(context[n].title)}{_standing(context[n])}\n{data(f'note {label(n)}', _told(context[n]))}"
        for n in places
    )


def _standing(note: Experience) -> str:
    """What the verifier said of it, so that nobody copies what failed."""
    if note.kind == "trace":
        us = f", {note.latency_us:.2f} us ({note.latency_source})" if note.latency_us is not None else ""
        return f" [a kernel of another run: correct{us}]" if note.feasible else " [a kernel that failed]"
    return ""


def _told(note: Experience) -> str:
    if note.kind != "trace":
        return _bounded(note.text)
    return shown_kernel(note.text, note.dialect, _LONGEST_KERNEL)


def _bounded(text: str) -> str:
    """Whole paragraphs and whole code blocks up to a length; what is left out is said."""
    if len(text) <= _LONGEST:
        return text
    kept: list[str] = []
    length, fenced = 0, False
    for line in text.split("\n"):
        length += len(line) + 1
        if length > _LONGEST:
            break
        kept.append(line)
        fenced ^= bool(_FENCE.match(line))
    while kept and (fenced or kept[-1].strip()):
        fenced ^= bool(_FENCE.match(kept[-1]))
        kept.pop()
    left = text.count("\n") + 1 - len(kept)
    return "\n".join([*kept, f"({left} further lines are left out)"])
