"""The fixes of findings, applied and looked at again."""

from pathlib import Path
from typing import Any

from lsprotocol import types


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    at = [
        (
            starts[e["range"]["start"]["line"]] + e["range"]["start"]["character"],
            starts[e["range"]["end"]["line"]] + e["range"]["end"]["character"],
            e.get("newText", e.get("new_text")),
        )
        for e in edits
    ]
    for begin, end, new in sorted(at, reverse=True):
        text = text[:begin] + new + text[end:]
    return text


async def test_an_unbindable_parameter_gets_a_directive(start: Any, relu: Path) -> None:
    editor = await start()
    path = relu / "relu_unbindable.cu"
    uri = await editor.open(path)
    await editor.verified(uri)
    diagnostic = next(d for d in editor.diagnostics(uri) if str(d.code).startswith("BIND_"))
    fixes = await editor.actions(
        uri, diagnostic.range.start.line, diagnostic.range.start.character, [diagnostic], only=["quickfix"]
    )
    (fix,) = fixes.values()
    assert fix["kind"] == "quickfix"
    (edits,) = fix["edit"]["changes"].values()
    text = applied(path.read_text(), edits)
    assert "args=" in text
    assert text.count("// kernelwright:") == 1, "the directive that is there is completed"
    # Nobody sends data back who does not say so: the fix is found by its diagnostic all the same.
    bare = types.Diagnostic(diagnostic.range, diagnostic.message, code=diagnostic.code, source="kernelwright")
    again = await editor.actions(uri, 0, 0, [bare], only=["quickfix"])
    assert again.keys() == fixes.keys()


async def test_a_kernel_without_a_task_gets_a_skeleton(start: Any, tmp_path: Path) -> None:
    editor = await start()
    path = tmp_path / "scale.cu"
    path.write_text(
        "#include <cuda_runtime.h>\n"
        "__global__ void k(const float* x, const int* index, float* out, int n) { if (n > 0) out[0] = x[index[0]]; }\n"
        "void scale(const float* x, const int* index, float* out, int n) { k<<<1, 1>>>(x, index, out, n); }\n"
    )
    uri = await editor.open(path)
    await editor.verified(uri)
    diagnostic = next(d for d in editor.diagnostics(uri) if d.code == "TASK_MISSING")
    assert diagnostic.severity == types.DiagnosticSeverity.Information
    place = diagnostic.range.start
    (fix,) = (
        await editor.actions(uri, place.line, place.character, [diagnostic], only=["quickfix"])
    ).values()
    create, write = fix["edit"]["documentChanges"]
    assert create["kind"] == "create"
    assert create["uri"] == (tmp_path / "scale.py").as_uri()
    (edit,) = write["edits"]
    task = edit.get("newText", edit.get("new_text"))
    compile(task, "scale.py", "exec")
    assert "def forward(self, x, index):" in task
    assert "torch.randint" in task
    actions = await editor.actions(uri, 2, 8)
    assert actions["Draft kernel again: scale"]["disabled"]["reason"] == "it has no task"


async def test_a_client_that_creates_no_files_is_offered_none(start: Any, tmp_path: Path) -> None:
    editor = await start(capabilities={"textDocument": {"codeAction": {}}})
    path = tmp_path / "scale.cu"
    path.write_text("__global__ void k(float* x) { x[0] = 1; }\nvoid scale(float* x) { k<<<1, 1>>>(x); }\n")
    uri = await editor.open(path)
    editor.save(uri)
    await editor.until(lambda: "TASK_MISSING" in editor.codes(uri))
    diagnostic = next(d for d in editor.diagnostics(uri) if d.code == "TASK_MISSING")
    titles = set(await editor.actions(uri, 1, 6, [diagnostic]))
    assert titles == {"Verify now: scale"}, "without disabledSupport, what does not apply is left out"
