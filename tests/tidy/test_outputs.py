"""Folders that a sandbox may write are `Output`s, and nothing but `handover.py` reads or writes in one (docs: SECURITY.md).

`Output` has no method that does, so what is left to look for is a way around it: a plain path that is handed to a sandbox as
writable, a name within an `Output` that is made into a path again, and the folder itself taken out of it.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelwright_backends.untrusted.handover import Output

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [ROOT / name / f"kernelwright_{name}" for name in ("backends", "verifier", "memory", "server")]
HANDOVER = "backends/kernelwright_backends/untrusted/handover.py"
# Who may write a path that is no `Output`, and why.
WRITABLE_PATHS = {
    # One file that cannot be replaced, only filled: it is read and restored by `handover.take` and `put_back`.
    "request.mapping": ("backends/kernelwright_backends/",),
    # A folder of the task's worker alone.
    "self._cache.area": ("verifier/kernelwright_verifier/reference/client.py",),
}
# Who may take the folder out of an `Output`: it is bound into the sandbox there.
BINDS = (HANDOVER, "verifier/kernelwright_verifier/sandbox/confinement.py")
# What may be done with a name within an `Output`: it becomes a word of a command or of a request.
WORDS = {"str", "compile_file", "script", "command", "run", "watched"}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imports_output(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom) and (node.module or "").endswith(".handover")
        for node in ast.walk(tree)
    )


def outputs_of(function: ast.AST) -> set[str]:
    """The names that are bound to an `Output`, or to several, in a function."""
    found = set()
    for node in ast.walk(function):
        if (
            isinstance(node, ast.arg)
            and node.annotation is not None
            and "Output" in ast.unparse(node.annotation)
        ):
            found.add(node.arg)
        if isinstance(node, ast.withitem) and isinstance(node.context_expr, ast.Call):
            called = ast.unparse(node.context_expr.func)
            if called.endswith("fresh_output") and node.optional_vars is not None:
                found.add(ast.unparse(node.optional_vars))
        if isinstance(node, ast.AnnAssign) and "Output" in ast.unparse(node.annotation):
            found.add(ast.unparse(node.target))
    return found


def elements(value: ast.expr) -> Iterator[ast.expr]:
    """What a value of `writable=` is made of."""
    match value:
        case ast.List() | ast.Tuple():
            for element in value.elts:
                yield from elements(element)
        case ast.IfExp():
            yield from elements(value.body)
            yield from elements(value.orelse)
        case ast.Starred():
            yield from elements(value.value)
        case _:
            yield value


def wrong_writables(place: str, tree: ast.Module) -> Iterator[str]:
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.keyword) and node.arg == "writable"):
            continue
        function: ast.AST = node
        while function in parents and not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = parents[function]
        known = outputs_of(function)
        assigned = {
            ast.unparse(a.targets[0]): a.value for a in ast.walk(function) if isinstance(a, ast.Assign)
        }
        waiting = list(elements(node.value))
        while waiting:
            element = waiting.pop()
            words = ast.unparse(element)
            if words in known or words == "stage.writable":  # `Stage.writable` is an `Output`
                continue
            if (
                words == "writable"
                and words not in assigned
                and place == "backends/kernelwright_backends/cuda/gpu/external_tools.py"
            ):
                continue  # handed on: its callers are looked at here
            if place in BINDS:
                continue  # the sandbox itself, which binds what its callers gave
            if place.startswith(WRITABLE_PATHS.get(words, ("nowhere",))):
                continue
            if words in assigned:
                waiting += elements(assigned.pop(words))
                continue
            yield f"{place}:{element.lineno} lets a sandbox write {words}, which is no Output"


def wrong_names(place: str, tree: ast.Module) -> Iterator[str]:
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr == "bound" and not node.args and place not in BINDS:
            yield f"{place}:{node.lineno} takes the folder out of {ast.unparse(node.func.value)}"
        if node.func.attr != "inside":
            continue
        up = parents[node]
        if isinstance(up, ast.keyword):
            if up.arg != "cwd":
                yield f"{place}:{node.lineno} passes {ast.unparse(node)} on as {up.arg}"
        elif isinstance(up, ast.Call):
            if node in up.args and ast.unparse(up.func).rpartition(".")[2] not in {*WORDS, "Stage"}:
                yield f"{place}:{node.lineno} gives {ast.unparse(node)} to {ast.unparse(up.func)}"
        elif not isinstance(up, (ast.Assign, ast.FormattedValue)):
            yield f"{place}:{node.lineno} uses {ast.unparse(node)} as something else than a name"


def test_a_sandbox_writes_nothing_but_outputs() -> None:
    assert [wrong for place, tree in sources() for wrong in wrong_writables(place, tree)] == []


def test_a_name_within_an_output_is_never_opened() -> None:
    found = [wrong for place, tree in sources() if place != HANDOVER for wrong in wrong_names(place, tree)]
    assert found == []


def test_an_output_is_made_and_opened_in_one_place() -> None:
    made = [
        f"{place}:{node.lineno}"
        for place, tree in sources()
        if place != HANDOVER and imports_output(tree)
        for node in ast.walk(tree)
        if (isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "Output")
        or (isinstance(node, ast.Attribute) and node.attr == "_folder")
    ]
    assert made == []
    assert {name for name in vars(Output) if not name.startswith("_")} == {
        "inside",
        "take",
        "copy_out",
        "bound",
    }
    assert not hasattr(Output, "__fspath__")


WRONG = {
    "a folder": "async def f(work: Path):\n    await c.run([], writable=[work])",
    "one that is made here": "async def f():\n    work = Path('x')\n    await c.run([], writable=[work])",
    "one of several": "async def f(out: Output, work: Path):\n    await c.run([], writable=[out, work])",
    "the folder of an output": "def f(out: Output):\n    (out.bound() / 'x').write_text('')",
    "a name that is opened": "def f(out: Output):\n    open(out.inside('x'))",
    "a name that is made a path": "def f(out: Output):\n    Path(out.inside('x')).read_bytes()",
    "a name that is handed on": "def f(out: Output):\n    symbols_of(path=out.inside('x'))",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_goes_around_it_is_found(what: str) -> None:
    tree = ast.parse(WRONG[what])
    assert [*wrong_writables("x.py", tree), *wrong_names("x.py", tree)] != []
