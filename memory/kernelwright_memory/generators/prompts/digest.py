"""The interface of Ascend C in one line a name: the signatures that every prompt holds, from the cards that have them all."""

import re
from functools import cache
from pathlib import Path

from kernelwright_backends.core.registry import support_of
from kernelwright_backends.interfaces.editor_support import ApiCard

_LIST = Path(__file__).resolve().parent / "ascendc" / "digest.txt"
_TEMPLATE = re.compile(r"^template<class \w+(?:, (?:class \w+|bool \w+ = \w+))*>\s*")
# What a call does not show is left out: how an argument is passed.
_PASSING = re.compile(r"\bconst (?=\w)|(?<=[\w>])&(?= )")


@cache
def digest() -> str:
    """The lines, in the order of `ascendc/digest.txt`.

    Raises:
        LookupError: the list has a name without a card.
    """
    editor = support_of("ascendc").editor
    cards = editor.all_cards() if editor is not None else ()
    lines: list[str] = []
    for line in _LIST.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        title, _, count = line.strip().partition(":")
        owner, _, name = title.rpartition(".")
        card = next(
            (c for c in cards if c.name == name and (owner in c.owners if owner else not c.owners)), None
        )
        if card is None:
            raise LookupError(f"ascendc/digest.txt: no card is called '{title}'")
        lines += _lines(card, owner, int(count or 1))
    return "\n".join(lines)


def digest_names() -> frozenset[str]:
    """The names whose signatures are in the digest."""
    listed = _LIST.read_text(encoding="utf-8").splitlines()
    titles = [line.partition(":")[0] for line in listed if line.strip() and not line.startswith("#")]
    return frozenset(title.rpartition(".")[2] for title in titles)


def _lines(card: ApiCard, owner: str, count: int) -> list[str]:
    types = f"  // {', '.join(card.dtypes)}" if card.dtypes else ""
    made: list[str] = []
    for signature in card.signatures[:count]:
        text = _PASSING.sub("", _TEMPLATE.sub("", signature))
        if owner:
            text = re.sub(rf"\b{card.name}\(", f"{owner}::{card.name}(", text, count=1)
        made.append(f"{text}{types if not made else ''}")
    return made
