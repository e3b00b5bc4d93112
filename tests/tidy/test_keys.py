"""Names of what is kept are made by `content_key`: parts in a row, with whatever between them, may read like other parts."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [ROOT / name / f"kernelwright_{name}" for name in ("backends", "verifier", "memory", "server")]
# Who takes in several parts one after the other, and why.
EXEMPT = {
    "backends/kernelwright_backends/storage/content_key.py": "the door itself",
    "verifier/kernelwright_verifier/reference/answer_cache.py": "one file, piece by piece",
    "memory/kernelwright_memory/bank/source_fingerprint.py": "no name in a cache: experiences of older versions have it",
}


def joined(tree: ast.Module) -> Iterator[int]:
    """The lines where a hash is made of parts that were joined, or takes in another part."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name = node.func.attr
        if name in ("sha256", "sha1", "blake2b", "blake2s", "md5", "new") and any(
            isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "join"
            for argument in node.args
            for part in ast.walk(argument)
        ):
            yield node.lineno
        if name == "update" and isinstance(node.func.value, ast.Name) and node.func.value.id in _hashes(tree):
            yield node.lineno


def _hashes(tree: ast.Module) -> set[str]:
    made = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and "hashlib." in ast.unparse(node.value):
            made |= {ast.unparse(target).split(",")[0].strip("(") for target in node.targets}
    return made


def test_keys_are_made_in_one_place() -> None:
    found = [
        f"{place}:{line}"
        for package in PACKAGES
        for path in sorted(package.rglob("*.py"))
        if (place := path.relative_to(ROOT).as_posix()) not in EXEMPT
        for line in joined(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert found == []


WRONG = {
    "joined": 'key = hashlib.sha256("\\0".join((a, b)).encode()).hexdigest()',
    "one after the other": "digest = hashlib.sha256(a)\ndigest.update(b)",
    "beside something else": "digest, names = hashlib.sha256(), []\ndigest.update(b)",
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_joined_is_found(what: str) -> None:
    assert list(joined(ast.parse(WRONG[what])))
