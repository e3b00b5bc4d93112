"""From a model's answer to a candidate: one fenced code block, or a clear reason why not."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kernelwright_memory.generators.base import GenerationRequest, UnusableAnswer
from kernelwright_memory.generators.prompts.filling import one_line
from kernelwright_memory.generators.prompts.notes import label

RegionSpans = Callable[[str, str], Sequence[tuple[int, int]]]
"""(text, entry) -> byte spans of the entry's region, in order
(`kernelwright_verifier.candidate.region.region_spans`).
"""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)$")
_SUMMARY = re.compile(r"^[^\w\n]*summary[^\w\n]*:[^\w\n]*(.+)$", re.IGNORECASE | re.MULTILINE)
_PLAN = re.compile(r"^[^\w\n]*plan[^\w\n]*:[^\w\n]*(.+)$", re.IGNORECASE | re.MULTILINE)
_USED = re.compile(r"^[^\w\n]*used[^\w\n]*:(.*)$", re.IGNORECASE | re.MULTILINE)
_LARGEST = 1 << 20


class Answer(NamedTuple):
    text: str
    used: tuple[str, ...] | None
    """Ids of the experiences that it says it used; None where it does not say."""
    summary: str
    plan: str = ""


def read_answer(answer: str, request: GenerationRequest, spans: RegionSpans | None = None) -> Answer:
    """The candidate in a model's answer.

    Args:
        spans: where the entry's region lies, if an answer may hold the region alone.

    Raises:
        UnusableAnswer: no block, several, an open one, an empty one, a region where none is allowed.
    """
    blocks, prose = _blocks(answer)
    if not blocks:
        raise UnusableAnswer("the answer has no fenced code block")
    if len(blocks) > 1:
        raise UnusableAnswer(f"the answer has {len(blocks)} code blocks; it must have exactly one")
    info, code = blocks[0]
    if not code.strip():
        raise UnusableAnswer("the code block is empty")
    if len(code) > _LARGEST:
        raise UnusableAnswer(f"the code block is larger than {_LARGEST >> 20} MiB")
    if "\0" in code:
        raise UnusableAnswer("the code block is not valid text")
    base = request.start_point.text if request.start_point else request.text
    if "region" in info.lower().split():
        if spans is None or request.entry is None:
            raise UnusableAnswer("the answer contains only a region; it must contain the whole file")
        code = placed(base, code, spans(base, request.entry))
    labels = {label(number): experience.id for number, experience in enumerate(request.context)}
    lines = [match[1] for match in _USED.finditer(prose)]
    named = re.findall(r"\bN\d+\b", " ".join(lines))
    summary, plan = _SUMMARY.search(prose), _PLAN.search(prose)
    return Answer(
        text=code,
        used=tuple(dict.fromkeys(labels[name] for name in named if name in labels)) if lines else None,
        summary=one_line(summary[1]) if summary else "",
        plan=one_line(plan[1], 300) if plan else "",
    )


def placed(text: str, region: str, spans: Sequence[tuple[int, int]]) -> str:
    """`text` with the bytes of `spans` replaced by `region`, which goes where the last of them was.

    There everything that the region may call is declared.

    Raises:
        UnusableAnswer: there is no region to replace.
    """
    if not spans:
        raise UnusableAnswer("the file has no region of that entry; the answer must contain the whole file")
    source = text.encode()
    kept, position = [], 0
    for start, end in spans[:-1]:
        kept.append(source[position:start])
        position = max(position, end)
    start, end = spans[-1]
    kept.extend((source[position:start], region.rstrip("\n").encode(), source[end:]))
    return b"".join(kept).decode()


def _blocks(answer: str) -> tuple[list[tuple[str, str]], str]:
    """Fenced blocks (CommonMark's rules: closed by a fence at least as long) with their info strings, and the
    rest.
    """
    blocks: list[tuple[str, str]] = []
    prose: list[str] = []
    fence, info, lines = "", "", list[str]()
    for line in answer.replace("\r\n", "\n").split("\n"):
        match = _FENCE.match(line)
        if fence:
            if match and match[1][0] == fence[0] and len(match[1]) >= len(fence) and not match[2].strip():
                blocks.append((info, "\n".join([*lines, ""])))
                fence = ""
            else:
                lines.append(line)
        elif match:
            fence, info, lines = match[1], match[2].strip(), []
        else:
            prose.append(line)
    if fence:
        raise UnusableAnswer("the code block is not closed; the answer was cut off")
    return blocks, "\n".join(prose)
