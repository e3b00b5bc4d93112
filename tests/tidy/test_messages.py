"""The form of messages: what happened first, in at most two plain sentences, without a period at the end."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [ROOT / name / f"kernelwright_{name}" for name in ("backends", "verifier", "memory", "server")]
HOLE = "{}"  # what a message names: a variable, a kernel, a file, a number
# Functions that return a message, whole.
WRITERS = {"message_of", "explain", "explain_maskless", "refusal"}
# Private idiom, and words that say who did not act instead of what happened.
IDIOM = re.compile(
    r"\b(nobody|somebody|accus\w+|mend(s|ed|ing)?|the road|hangs? on|is no (?!longer)|are no |told|wants|for ever|in vain|"
    r"behind (it|the end)|as happens where|on its way|whatever stood)\b",
    re.IGNORECASE,
)


def texts(node: ast.expr, scope: ast.AST) -> Iterator[str]:
    """The texts that an expression may be, with holes for what is filled in; nothing where only a run knows."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr():
            yield "".join(v.value if isinstance(v, ast.Constant) else HOLE for v in node.values)
        case ast.IfExp():
            yield from texts(node.body, scope)
            yield from texts(node.orelse, scope)
        case ast.BinOp(op=ast.Add()):
            left, right = list(texts(node.left, scope)) or [HOLE], list(texts(node.right, scope)) or [HOLE]
            yield from (a + b for a in left for b in right)
        case ast.Name():
            for assigned in ast.walk(scope):
                if isinstance(assigned, ast.Assign) and ast.unparse(assigned.targets[0]) == node.id:
                    yield from texts(assigned.value, scope)


def of_python(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in (n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))):
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and function.name in WRITERS and node.value is not None:
                yield from ((node.lineno, text) for text in texts(node.value, function) if text)
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("finding", "Lint") and len(node.args) > 2:
                message = node.args[1 if node.func.id == "finding" else 2]
                yield from ((node.lineno, text) for text in texts(message, function))
            if node.func.id in ("Related", "SuggestedFix"):
                for keyword in node.keywords:
                    if keyword.arg in ("message", "title"):
                        yield from ((node.lineno, text) for text in texts(keyword.value, function))


_REPORT = re.compile(r'\breport\(\s*"[A-Z_]+",[^,]*,(.*?);\n', re.DOTALL)
_MESSAGE = re.compile(r"\bfinding\.message = (.*?);\n", re.DOTALL)
_RELATED = re.compile(r",\s*\{\{.*", re.DOTALL)
_PIECE = re.compile(r'((?:"(?:[^"\\]|\\.)*"\s*)+)')


def of_runtime(path: Path) -> Iterator[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    for pattern in (_REPORT, _MESSAGE):
        for match in pattern.finditer(text):
            said = _RELATED.sub("", match[1])
            if "?" in said or not _PIECE.search(said):  # either of two: the eye is better
                continue
            pieces = _PIECE.split(said)
            whole = "".join(
                "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', piece))
                if n % 2
                else HOLE
                if piece.strip(" +);\n")
                else ""
                for n, piece in enumerate(pieces)
            )
            yield text.count("\n", 0, match.start()) + 1, whole


def messages() -> Iterator[tuple[str, str]]:
    for path in (path for package in PACKAGES for path in sorted(package.rglob("*"))):
        found = of_python(path) if path.suffix == ".py" else of_runtime(path) if path.suffix == ".cpp" else ()
        for line, text in found:
            yield f"{path.relative_to(ROOT).as_posix()}:{line}", text


def wrong(text: str) -> str:
    """What is wrong with a message; empty where nothing is."""
    plain = text.strip()
    if plain.endswith((".", "!")) and not plain.endswith("..."):
        return "ends with a period"
    if len(re.findall(r"[.!?] (?=[A-Z])", plain)) > 1:
        return "more than two sentences"
    if (idiom := IDIOM.search(plain)) is not None:
        return f"says '{idiom[0]}'"
    if re.match(r"(this|it|that|there) (is|are|was|has)\b", plain):
        return "does not name the thing"
    if len(plain) > 360:
        return "is longer than 360 characters"
    return ""


def test_messages_have_one_form() -> None:
    found = dict.fromkeys(messages())
    assert len(found) > 340
    assert [f"{place}: {why}: {text}" for place, text in found if (why := wrong(text))] == []


@pytest.mark.parametrize(
    "text",
    [
        "the output is wrong.",
        "it is wrong",
        "x reads what nobody wrote",
        "what happened. Why it did. What to do",
        "a value on the road taken",
    ],
)
def test_what_breaks_the_form_is_found(text: str) -> None:
    assert wrong(text)
