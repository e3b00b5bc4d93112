"""Templates of prompts, and how material is put into them: marked, bounded, never an instruction."""

import re
from functools import cache
from pathlib import Path
from string import Template

_FOLDER = Path(__file__).resolve().parent


@cache
def template(name: str) -> Template:
    """The data file `name`, without its suffix, as a template."""
    return Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def text_of(name: str) -> str:
    """A data file that has nothing to be filled in."""
    return template(name).template


def data(name: str, text: str) -> str:
    """Text between marks that it cannot contain itself."""
    inside = re.sub(r"<(/?)data", r"<\1 data", text.rstrip("\n"))
    return f"<data {name}>\n{inside}\n</data>"


def numbered(text: str) -> str:
    """Source with the number of each line, as findings count them."""
    lines = text.rstrip("\n").split("\n")
    width = len(str(len(lines)))
    return "\n".join(f"{number:>{width}}| {line}".rstrip() for number, line in enumerate(lines, 1))


def one_line(text: str, limit: int = 200) -> str:
    """In one line, cut between words if need be."""
    plain = " ".join(text.split())
    if len(plain) <= limit:
        return plain
    kept = plain[: limit - 4]
    if not plain[limit - 4].isspace() and " " in kept:
        kept = kept.rsplit(" ", 1)[0]
    return f"{kept.rstrip()} ..."


def section(title: str, body: str) -> str:
    """A part of a question with its headline; nothing where it is empty."""
    return f"\n# {title}\n\n{body.strip()}\n" if body.strip() else ""
