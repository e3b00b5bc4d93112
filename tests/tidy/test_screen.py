"""Nothing goes around the one place where text is printed (`cli/screen.py`, `cli/terminal.py`)."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "server" / "kernelwright_server"
# Who writes to a stream itself, and why.
EXEMPT = {
    "server/kernelwright_server/cli/screen.py": "puts the guard in the place of the streams",
    "server/kernelwright_server/cli/terminal.py": "makes the styles, and writes what programs read",
}


def around(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "rich.markup":
            yield node.lineno, "words in brackets are no styles: use Text"
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.rsplit(".", 1)[-1] == "Console":
                yield node.lineno, "a console of its own: use Terminal"
            if called.endswith("from_markup") or any(
                k.arg == "markup" and not (isinstance(k.value, ast.Constant) and k.value.value is False)
                for k in node.keywords
            ):
                yield node.lineno, "words in brackets are no styles: use Text"
            if called == "print" and any(
                "model_dump_json" in ast.unparse(a) or "json.dumps" in ast.unparse(a) for a in node.args
            ):
                yield node.lineno, "JSON may hold what acts: use print_json"
        if isinstance(node, ast.Attribute) and ast.unparse(node) in (
            "sys.stdout.buffer", "sys.stderr.buffer", "sys.__stdout__", "sys.__stderr__",
        ):  # fmt: skip
            yield node.lineno, "a stream without its guard: use print_exactly"


def test_all_that_is_printed_passes_one_place() -> None:
    found = []
    for path in sorted(SERVER.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name not in EXEMPT:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [f"{name}:{line}: {why}" for line, why in around(tree)]
    assert found == []
