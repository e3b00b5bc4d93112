"""One catalogue, one page for each code, and no code that nobody uses or documents."""

import re
from pathlib import Path

import pytest

from kernelwright_backends.core.catalogue import CATALOGUE, page

ROOT = Path(__file__).resolve().parents[2]
PREFIXES = "BIND TASK SIZE HACK COMPILE MISMATCH MEM INIT RACE SYNC LAUNCH LEAK COST PERF ENV UNSUPPORTED SHAPE".split()
# What only Ascend C has.
PREFIXES += (
    "UB BUF UNINIT QUE USE EVENT DATACOPY GM MASK REPEAT STRIDE COMPARE CAST TMP ATOMIC CROSS SYNCALL".split()
)


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_a_page_says_what_it_means_with_an_example_and_the_fix(code: str) -> None:
    text = page(code)
    assert text is not None, f"docs/findings/{code}.md is missing"
    assert text.startswith(f"# {code}\n")
    assert re.search(r"^## Example$", text, re.MULTILINE)
    assert re.search(r"^## Fix$", text, re.MULTILINE)


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_a_code_is_made_of_a_known_prefix(code: str) -> None:
    assert re.fullmatch(r"[A-Z]+(_[A-Z0-9]+)+", code)
    assert code.split("_")[0] in PREFIXES


def test_no_page_without_a_code() -> None:
    assert {path.stem for path in (ROOT / "docs" / "findings").glob("*.md")} - set(CATALOGUE) == set()


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_a_code_is_used_by_the_program(code: str) -> None:
    sources = (
        path
        for package in ("backends", "verifier", "memory", "server")
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".py", ".cpp", ".h") and path.name != "catalogue.py"
    )
    assert any(f'"{code}"' in path.read_text(encoding="utf-8") for path in sources), f"nothing emits {code}"
