"""The language server as neovim's built-in client sees it: no extension, nothing but LSP."""

from typing import Any

import pytest

SAVE = {"do": "save"}
IDLE = {"do": "wait", "for": "idle"}
ERROR = 1


def line_of(text: str, part: str) -> int:
    """The line that holds `part`, counted from 0 as LSP does."""
    return next(number for number, line in enumerate(text.splitlines()) if part in line)


def request(method: str, line: int | None = None, **more: Any) -> dict[str, Any]:
    """A request about the document, at a place in it."""
    params: dict[str, Any] = {"textDocument": {"uri": "URI"}, **more}
    if line is not None:
        place = {"line": line, "character": 6}
        params |= {"position": place, "range": {"start": place, "end": place}}
    return {"do": "request", "method": method, "params": params}


def command(name: str, entry: str) -> dict[str, Any]:
    arguments = [{"uri": "URI", "entry": entry}]
    return {
        "do": "request",
        "method": "workspace/executeCommand",
        "params": {"command": f"kernelwright.{name}", "arguments": arguments},
    }


def errors(seen: dict[str, Any]) -> list[dict[str, Any]]:
    return [d for d in seen["diagnostics"] if d["severity"] == ERROR]


def test_a_wrong_kernel_shows_one_diagnostic_at_the_statement(neovim: Any) -> None:
    seen = neovim("relu_wrong_value.cu", SAVE, IDLE)
    (diagnostic,) = errors(seen)
    assert diagnostic["source"] == "kernelwright"
    assert diagnostic["code"] == "MISMATCH_VALUE"
    assert diagnostic["lnum"] == line_of(seen["text"], "fabsf(x[i])")
    assert seen["exit"] == 0, "the server did not end well"


def test_a_right_kernel_has_no_error_and_its_lens_and_hover_give_the_verdict(neovim: Any) -> None:
    seen = neovim(
        "relu_naive.cu",
        SAVE,
        IDLE,
        request("textDocument/codeLens"),
        request("textDocument/hover", line=11),
    )
    assert errors(seen) == []
    lenses, hover = seen["answers"]
    assert any("correct" in lens["command"]["title"] for lens in lenses)
    text = hover["contents"]["value"]
    assert "cuda:sm_90@cpu" in text
    assert "estimate" in text
    assert "![" not in text and "](" not in text, "a hover holds no image and no link"


@pytest.mark.slow
def test_an_edit_is_judged_as_it_stands_when_saved(neovim: Any) -> None:
    repair = {"do": "replace", "old": "fabsf(x[i])", "new": "fmaxf(x[i], 0.0f)"}
    seen = neovim("relu_wrong_value.cu", SAVE, IDLE, repair, SAVE, IDLE)
    assert errors(seen) == []


@pytest.mark.slow
def test_a_stub_is_drafted_by_a_command_and_the_edit_applied(neovim: Any) -> None:
    seen = neovim("relu_stub.cu", command("draft", "relu"), {"do": "wait", "for": "change"}, SAVE, IDLE)
    assert "__global__" in seen["text"]
    assert errors(seen) == []
    edit = seen["edit"]["edit"]  # with a version where the client knows the form: neovim 0.7 does not
    if "documentChanges" in edit:
        (change,) = edit["documentChanges"]
        assert change["textDocument"]["version"] is not None


def test_nothing_is_run_for_an_untrusted_workspace(neovim: Any) -> None:
    at_the_entry = request("textDocument/codeAction", line=12, context={"diagnostics": []})
    seen = neovim("relu_wrong_value.cu", SAVE, at_the_entry, trusted=False)
    assert [d["code"] for d in errors(seen)] == []
    assert {status["state"] for status in seen["statuses"]} <= {"untrusted"}
