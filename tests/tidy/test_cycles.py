"""No modules of a package import each other in a circle, whether at the top, in a function or for type checkers alone."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("backends", "verifier", "memory", "server")


def modules(folder: Path) -> dict[str, Path]:
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(name: str, path: Path) -> Iterator[str]:
    """All that an import statement of a module may mean: `from a import b` is `a.b`, or `a`."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def graph(folder: Path) -> dict[str, set[str]]:
    known = modules(folder)
    edges: dict[str, set[str]] = {}
    for name, path in known.items():
        edges[name] = set()
        for written in imported(name, path):
            meant = written if written in known else written.rpartition(".")[0]
            if meant in known and meant != name:
                edges[name].add(meant)
    return edges


def circles(edges: Mapping[str, set[str]]) -> list[list[str]]:
    """What is left when those that import nothing of the rest are taken away, again and again, from both ends."""
    left = {name: set(others) for name, others in edges.items()}
    while True:
        imported_by_some = {other for others in left.values() for other in others}
        ends = {name for name, others in left.items() if not others or name not in imported_by_some}
        if not ends:
            break
        left = {name: others - ends for name, others in left.items() if name not in ends}
    return [[name, *sorted(others)] for name, others in sorted(left.items())]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_import_each_other_in_a_circle(package: str) -> None:
    edges = graph(ROOT / package)
    assert any(edges.values())
    assert circles(edges) == []


def test_a_circle_is_found_wherever_its_imports_stand(tmp_path: Path) -> None:
    for name, text in {
        "one": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pack.two import Two\n",
        "two": "def later():\n    from pack import three\n",
        "three": "import pack.one\n",
        "apart": "from pack.one import One\n",
    }.items():
        (tmp_path / "pack").mkdir(exist_ok=True)
        (tmp_path / "pack" / f"{name}.py").write_text(text)
    assert [found[0] for found in circles(graph(tmp_path))] == ["pack.one", "pack.three", "pack.two"]
