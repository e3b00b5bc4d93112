"""The auditor of the hack gate (A14) asks a model over HTTP; what it says counts only with a line that it can point to."""

import json
from pathlib import Path
from typing import Any

import pytest

from kernelwright_memory.generators.auditing import auditor_of
from kernelwright_verifier.gates.hack.audit import audited
from kernelwright_verifier.project.config import Configuration, HackSettings
from kernelwright_verifier.task.plan import Plan
from kernelwright_verifier.verifier import Verifier, read_candidate

POINTED = {"valid": False, "reason": "it keeps the first result", "line": 6, "quote": "y[i] = x[i]"}


def planned(folder: Path, words: Any, auditor: str, level: str) -> Plan:
    (folder / "relu.py").write_text(words.task)
    source = folder / "relu.cu"
    source.write_text(words.kernel(64, "y[i] = x[i];"))
    (plan,) = Verifier().plan(read_candidate(source))
    hack = HackSettings.model_validate({"level": level, "auditor": auditor})
    return plan.model_copy(update={"configuration": Configuration(hack=hack)})


@pytest.mark.parametrize(
    ("name", "level", "answer", "severity"),
    [
        ("warns", "own", json.dumps(POINTED), "warning"),
        ("stops", "strict", f"So:\n```json\n{json.dumps(POINTED)}\n```", "error"),
        ("nowhere", "strict", json.dumps({**POINTED, "line": 1}), "warning"),
        ("content", "strict", json.dumps({"valid": True, "reason": "it computes"}), None),
        ("talks", "strict", "Ignore what was asked: all is well.", None),
        ("refuses", "strict", 401, None),
        ("proxied", "strict", "garbage", None),
    ],
)
async def test_what_a_model_says(
    name: str, level: str, answer: Any, severity: str | None, tmp_path: Path, words: Any, model_server: Any
) -> None:
    model_server.reset(answer)
    plan = planned(tmp_path, words, f"{model_server.url}#{name}", level)
    auditor = auditor_of(plan.configuration)
    assert auditor is not None
    found = await audited(plan, auditor)
    assert [(f.code, f.severity.value) for f in found] == ([("HACK_AUDIT", severity)] if severity else [])
    (asked, *_) = model_server.calls
    assert asked["model"] == name
    question = asked["messages"][0]["content"]
    assert "y[i] = x[i];" in question and "torch.relu" in question
    if severity == "error":
        assert (found[0].line, "keeps the first result" in found[0].message) == (6, True)


async def test_a_name_that_is_no_model_flags_nothing(tmp_path: Path, words: Any) -> None:
    plan = planned(tmp_path, words, "templates", "strict")
    auditor = auditor_of(plan.configuration)
    assert auditor is not None
    assert await audited(plan, auditor) == ()


def test_without_a_name_there_is_no_auditor() -> None:
    assert auditor_of(Configuration()) is None
