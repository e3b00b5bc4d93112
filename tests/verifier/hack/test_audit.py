"""The auditor (A14): HACK_AUDIT warns, and refuses only at level strict and with a line that says what it quotes."""

import json
from pathlib import Path

import pytest

from kernelwright_backends.core.finding import Finding
from kernelwright_verifier.gates.hack.audit import audited, question
from kernelwright_verifier.project.config import Configuration, HackSettings
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.verifier import Verifier, read_candidate

POINTED = {"valid": False, "reason": "it stores a constant", "line": 6, "quote": "out[i] = 0;"}


def plan_of(corpus: Path, level: str) -> Plan:
    (plan,) = Verifier().plan(read_candidate(corpus / "cheats" / "constant_zeros.cu"))
    hack = HackSettings.model_validate({"level": level})
    return plan.model_copy(update={"configuration": Configuration(hack=hack)})


async def found(corpus: Path, level: str, answer: str) -> tuple[Finding, ...]:
    plan = plan_of(corpus, level)

    async def ask(text: str) -> str:
        assert text == question(plan)
        return answer

    return await audited(plan, ask)


@pytest.mark.parametrize(
    ("level", "answer", "severity"),
    [
        ("own", json.dumps(POINTED), "warning"),
        ("strict", f"Here it is:\n```json\n{json.dumps(POINTED)}\n```", "error"),
        ("strict", json.dumps({**POINTED, "line": 7}), "warning"),
        ("strict", json.dumps({**POINTED, "quote": None}), "warning"),
        ("strict", json.dumps({"valid": True, "reason": "it computes"}), None),
        ("strict", "I would rather not say", None),
        ("strict", "[1, 2", None),
    ],
)
async def test_only_a_line_that_it_quotes_refuses(
    corpus: Path, level: str, answer: str, severity: str | None
) -> None:
    findings = await found(corpus, level, answer)
    assert [(f.code, f.severity.value) for f in findings] == ([("HACK_AUDIT", severity)] if severity else [])
    if severity == "error":
        assert (findings[0].line, "constant" in findings[0].message) == (6, True)


async def test_a_model_that_cannot_be_asked_flags_nothing(corpus: Path) -> None:
    async def ask(_: str) -> str:
        raise RuntimeError("no route")

    assert await audited(plan_of(corpus, "strict"), ask) == ()
