"""What a card says, and the way from a family's file to its cards.

A file holds a `[family]`, whose fields its cards inherit, and `[[api]]` tables. `rules`, `findings` and `parameters` of a
card stand beside its family's, everything else replaces it. `{name}` in inherited signatures and examples is the card's.
"""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from kernelwright_backends.core.model import Model

FOLDER = Path(__file__).resolve().parent
Kind = Literal["function", "member", "macro", "type", "constant"]


# Code spans, names with arguments of a template, and names with underscores.
_NAME = re.compile(r"`[^`]*`|[\w:]+<[^<>]+>(?:\([^()]*\))?|[\w:.]*_\w*(?:\(\))?")


def prose(text: str) -> str:
    """A sentence of a card as Markdown. Names stand in code spans: a reader takes `_` for emphasis and `<half>` for HTML, and
    what escapes them is shown by some."""
    return _NAME.sub(lambda name: name[0] if name[0].startswith("`") else f"`{name[0]}`", text)


class CardError(ValueError):
    """A file of cards that cannot be read; the message names the file, the card and what is wrong."""


class Parameter(Model):
    name: str
    meaning: str


class ApiCard(Model):
    """One name of the interface on the 910B. Sizes in elements unless a rule says bytes."""

    name: str = Field(description="as it is called: Add, AllocTensor")
    kind: Kind
    owners: tuple[str, ...] = Field((), description="for a member: the types that have it")
    family: str
    summary: str
    signatures: tuple[str, ...] = Field(description="C++, with parameter names of our own")
    parameters: tuple[Parameter, ...] = ()
    dtypes: tuple[str, ...] = Field((), description="element types on the 910B; empty where it takes none")
    pipe: str = Field("", description="which unit runs it: V, MTE2, MTE3, S, M, MTE1, FIX, or several")
    phase: int = Field(ge=1, le=4, description="1 vector and copies, 2 library, 3 Matmul and cores, 4 cube")
    rules: tuple[str, ...] = ()
    findings: tuple[str, ...] = Field((), description="codes that a wrong use of it leads to")
    values: tuple[Parameter, ...] = Field((), description="of an enumeration: its names")
    unscoped: bool = Field(False, description="its names stand without the enumeration's")
    example: str

    @property
    def title(self) -> str:
        return f"{'/'.join(self.owners)}.{self.name}" if self.owners else self.name

    @property
    def facts(self) -> str:
        """Pipe and element types, one line; empty where there is neither."""
        parts = [f"pipe {self.pipe}"] if self.pipe else []
        if self.dtypes:
            parts.append(", ".join(self.dtypes))
        return " · ".join(parts)

    def meaning_of(self, parameter: str) -> str | None:
        return next((p.meaning for p in self.parameters if p.name == parameter), None)

    def markdown(self) -> str:
        """The whole card. It holds our own text only, no link and no image."""
        lines = [prose(self.summary), "", "```cpp", *self.signatures, "```"]
        if self.facts:
            lines += ["", prose(self.facts)]
        if self.values:
            lines += ["", *(f"- `{value.name}`: {prose(value.meaning)}" for value in self.values)]
        if self.rules:
            lines += ["", *(f"- {prose(rule)}" for rule in self.rules)]
        if self.findings:
            lines += ["", "Findings: " + ", ".join(f"`{code}`" for code in self.findings)]
        return "\n".join([*lines, "", "```cpp", self.example.strip("\n"), "```"]) + "\n"


def read_family(file: Path) -> tuple[ApiCard, ...]:
    """The cards of one file.

    Raises:
        CardError: the file is no TOML, or a card lacks something or has a field that cards do not have.
    """
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise CardError(f"{file.name}: {error}") from None
    family = read.get("family", {})
    return tuple(_card(file, family, fields) for fields in read.get("api", []))


def _card(file: Path, family: dict[str, Any], own: dict[str, Any]) -> ApiCard:
    name = str(own.get("name", "?"))
    fields = {"kind": "function", **family, **own, "family": family.get("name", file.stem)}
    for key in ("rules", "findings"):
        fields[key] = list(dict.fromkeys([*own.get(key, []), *family.get(key, [])]))
    meanings = {**family.get("parameters", {}), **own.get("parameters", {})}
    for key in ("signatures", "rules"):
        fields[key] = [text.replace("{name}", name) for text in fields.get(key, [])]
    fields["example"] = str(fields.get("example", "")).replace("{name}", name)
    # A family says what its parameters mean once; a card keeps those that its signatures have.
    written = " ".join(fields["signatures"])
    fields["parameters"] = [
        {"name": key, "meaning": value} for key, value in meanings.items() if _names(written, key)
    ]
    fields["values"] = [{"name": key, "meaning": value} for key, value in fields.get("values", {}).items()]
    try:
        return ApiCard.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise CardError(f"{file.name}: {name}: {where}: {first['msg'].lower()}") from None


def _names(text: str, word: str) -> bool:
    start = text.find(word)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(word) : start + len(word) + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        start = text.find(word, start + 1)
    return False


@cache
def all_cards() -> tuple[ApiCard, ...]:
    """Every card, families in the order of their files' names."""
    return tuple(card for file in sorted(FOLDER.glob("*.toml")) for card in read_family(file))


@cache
def _by_name() -> dict[str, tuple[ApiCard, ...]]:
    found: dict[str, list[ApiCard]] = {}
    for card in all_cards():
        found.setdefault(card.name, []).append(card)
    return {name: tuple(cards) for name, cards in found.items()}


# The older name of an enumeration.
_ALIASES = {"QuePosition": "TPosition"}


def find_values(scope: str) -> tuple[Parameter, ...]:
    """The names of an enumeration; none where it has no card."""
    return next((card.values for card in find_cards(_ALIASES.get(scope, scope)) if card.values), ())


def find_value(name: str, scope: str | None = None) -> tuple[ApiCard, Parameter] | None:
    """What a name of an enumeration means, with the enumeration's card.

    Args:
        scope: the enumeration's name before the two colons; None where nothing stands there.
    """
    if scope is not None:
        cards = find_cards(_ALIASES.get(scope, scope))
    else:
        cards = tuple(card for card in all_cards() if card.unscoped)
    return next(((card, value) for card in cards for value in card.values if value.name == name), None)


def find_cards(name: str, owner: str | None = None) -> tuple[ApiCard, ...]:
    """The cards of a name.

    Args:
        owner: the type before the dot: only its members. None: whatever has that name.
    """
    cards = _by_name().get(name, ())
    if owner is None:
        return cards
    return tuple(card for card in cards if owner in card.owners)
