"""What is said of a program whose own comparison is weak."""

from pathlib import Path

import pytest


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(
    ("name", "warned"), [("program_compares_ten", True), ("program_compares_samples", False)]
)
async def test_a_comparison_of_a_beginning_is_a_warning(name: str, warned: bool, corpus: Path, judge) -> None:  # type: ignore[no-untyped-def]
    verdict = await judge(corpus / "legitimate" / f"{name}.cu")
    assert verdict.feasible is True
    said = [(f.code, f.severity) for f in verdict.findings if f.code == "HACK_NO_KERNEL"]
    assert said == ([("HACK_NO_KERNEL", "warning")] if warned else [])
