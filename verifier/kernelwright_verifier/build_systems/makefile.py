"""Makefiles, read and never run: the options of the recipe that compiles a source, and the words of `make run`.

Variables are expanded as make does, with the functions that work on words; `$(shell ...)` says nothing, except `pwd` and
where nvcc is.
"""

import fnmatch
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from kernelwright_backends.untrusted.reach import Reach
from kernelwright_backends.untrusted.reading import read_text_bounded
from kernelwright_verifier.build_systems.budget import Budget, Exhausted
from kernelwright_verifier.build_systems.settings import BuildFacts, read_options

NAMES = ("GNUmakefile", "makefile", "Makefile")
_LARGEST_BYTES, _MOST_INCLUDED, _DEEPEST = 1 << 20, 20, 40
_ASSIGNMENT = re.compile(
    r"(?:(?:override|export|private)\s+)*([^\s:#=+?!]+)\s*(=|:{1,3}=|\+=|\?=|!=)\s*(.*)", re.DOTALL
)
_FLAGS = re.compile(r"FLAG|OPT|INC|DEF|STD|ARG", re.IGNORECASE)
# Where CUDA's compiler is: a kernel's build has one.
_FINDS_COMPILER = re.compile(r"\s*(?:which|command\s+-v|type\s+-[pP])\s+((?:[\w./+-]*/)?nvcc)\b(?![\w./-]).*")
_LONGEST_COMMAND = 1 << 17  # characters
_RUNNING = ("run", "test", "check")
_MOST_CHARACTERS = 1 << 16  # of an expansion
_MOST_STEPS, _MOST_MADE = 200_000, 16 << 20  # of one question: expansions, characters


@dataclass
class Rule:
    targets: list[str]
    prerequisites: list[str]
    recipe: list[str] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)


@dataclass
class Makefile:
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    read: list[Path] = field(default_factory=list)
    reach: Reach | None = None
    budget: Budget = field(default_factory=lambda: Budget(_MOST_STEPS, _MOST_MADE))

    # ---- what is asked of it ----

    def of(self, source: Path) -> BuildFacts:
        """What the recipe that compiles `source` says; where no recipe names it, what the variables of flags say.

        Nothing of a file whose expansions take too long.
        """
        self.budget = Budget(_MOST_STEPS, _MOST_MADE)
        try:
            return self._told_of(source)
        except (Exhausted, RecursionError):
            return BuildFacts()

    def _told_of(self, source: Path) -> BuildFacts:
        facts = BuildFacts()
        for words in self._commands(source):
            facts |= read_options(words, self.folder)
        if facts != BuildFacts():
            return facts
        for name in self.variables:
            if _FLAGS.search(name):
                facts |= read_options(_split(self.expand(f"$({name})")), self.folder)
        for rule in self.rules:
            for line in rule.recipe:
                facts |= read_options(
                    _split(self.expand(line, {**rule.variables, **_automatic(rule)})), self.folder
                )
        return facts

    def run_words(self) -> tuple[str, ...]:
        """The words behind the program that `make run` (or `test`, `check`) starts from its own folder; () if it starts none."""
        self.budget = Budget(_MOST_STEPS, _MOST_MADE)
        try:
            return self._run_words()
        except (Exhausted, RecursionError):
            return ()

    def _run_words(self) -> tuple[str, ...]:
        for rule in self.rules:
            if not any(target in _RUNNING for target in rule.targets):
                continue
            for line in rule.recipe:
                words = _split(re.split(r"[|;&<>]", self.expand(line, _automatic(rule)))[0].lstrip(" \t@-+"))
                for number, word in enumerate(words[:2]):
                    if word.startswith("./"):
                        rest = words[number + 1 :]
                        return () if any("$" in word for word in rest) else tuple(rest)
        return ()

    def _commands(self, source: Path) -> Iterator[list[str]]:
        """The words of the commands that compile `source`, its own rules before those of patterns."""
        try:
            name = source.relative_to(self.folder).as_posix()
        except ValueError:
            return
        names = (name, f"./{name}", source.name)
        specific = {
            k: v
            for rule in self.rules
            if not rule.recipe and _stem(rule, names) is not None
            for k, v in rule.variables.items()
        }
        fitting = [
            (rule, stem) for rule in self.rules if rule.recipe and (stem := _stem(rule, names)) is not None
        ]
        named = [(rule, stem) for rule, stem in fitting if set(names) & set(rule.prerequisites)]
        for rule, stem in named or fitting:
            automatic = {**specific, **rule.variables, **_automatic(rule, stem, name)}
            for line in rule.recipe:
                words = _split(self.expand(line, automatic))
                if any(Path(word).name == source.name for word in words):
                    yield words
        if not fitting:
            # A recipe may name the source where no prerequisite does.
            for rule in self.rules:
                for line in rule.recipe:
                    words = _split(self.expand(line, _automatic(rule)))
                    if any(Path(word).name == source.name for word in words):
                        yield words

    # ---- expansion ----

    def expand(self, text: str, local: dict[str, str] | None = None, depth: int = 0) -> str:
        """`text` with its variables and functions expanded; what nobody knows is empty."""
        self.budget.spend()
        if "$" not in text or depth > _DEEPEST:
            return text
        made: list[str] = []
        at = size = 0
        while at < len(text) and size < _MOST_CHARACTERS:
            if text[at] != "$":
                end = text.find("$", at)
                end = len(text) if end < 0 else end
                made.append(text[at:end])
            elif text[at + 1 : at + 2] in ("(", "{"):
                end = _closing(text, at + 1)
                made.append(self._reference(text[at + 2 : end - 1], local or {}, depth + 1))
            else:
                end = at + 2
                name = text[at + 1 : end]
                made.append("$" if name == "$" else (local or {}).get(name, self.variables.get(name, "")))
            size += len(made[-1])
            self.budget.spend(len(made[-1]))
            at = end
        return "".join(made)

    def _reference(self, inside: str, local: dict[str, str], depth: int) -> str:
        word, _, rest = inside.partition(" ")
        if rest and word in _FUNCTIONS:
            return _FUNCTIONS[word](self, _arguments(rest), local, depth)[:_MOST_CHARACTERS]
        name = self.expand(inside, local, depth)
        name, colon, change = name.partition(":")
        if colon and "=" in change:
            before, after = change.split("=", 1)
            before, after = (part if "%" in part else f"%{part}" for part in (before, after))
            return self.joined(_patsubst(before, after, self._value(name, local, depth)))
        return self._value(name + colon + change, local, depth)

    def joined(self, words: Iterable[str]) -> str:
        """The words with blanks between them.

        Raises:
            Exhausted: they are more than anybody writes.
        """
        made: list[str] = []
        for word in words:
            self.budget.spend(len(word))
            made.append(word)
        return " ".join(made)

    def _value(self, name: str, local: dict[str, str], depth: int) -> str:
        if name == "CURDIR":
            return str(self.folder)
        value = local.get(name, self.variables.get(name))
        return self.expand(value, local, depth) if value is not None else ""

    # ---- reading ----

    def take(self, text: str) -> None:
        """Read the lines of one file."""
        conditions: list[tuple[bool, bool]] = []  # (are the lines taken, was a branch taken)
        rule: Rule | None = None
        defining = False
        for line in _logical_lines(text):
            if line.startswith("\t") and rule is not None:
                if all(taken for taken, _ in conditions):
                    rule.recipe.append(line.strip())
                continue
            plain = _without_comment(line).strip()
            if defining:
                defining = plain != "endef"
                continue
            word = plain.split(None, 1)[0] if plain else ""
            if word in ("ifeq", "ifneq", "ifdef", "ifndef"):
                holds = self._holds(plain)
                conditions.append((holds, holds))
            elif word == "else" and conditions:
                _, done = conditions.pop()
                rest = plain[4:].strip()
                holds = not done and (self._holds(rest) if rest else True)
                conditions.append((holds, done or holds))
            elif word == "endif" and conditions:
                conditions.pop()
            elif not plain or not all(taken for taken, _ in conditions):
                continue
            elif word == "define":
                defining = True
            elif word in ("include", "-include", "sinclude"):
                rule = None
                for name in self.expand(plain[len(word) :]).split():
                    self.include(self.folder / name)
            else:
                rule = self._statement(plain, rule)

    def include(self, file: Path) -> None:
        if (
            file in self.read
            or len(self.read) >= _MOST_INCLUDED
            or (self.reach is not None and not self.reach.holds(file))
        ):
            return
        try:
            text = read_text_bounded(file, limit_bytes=_LARGEST_BYTES, errors="replace").replace("\0", "")
        except (OSError, ValueError):
            return
        self.read.append(file)
        self.take(text)

    def _statement(self, plain: str, rule: Rule | None) -> Rule | None:
        if assignment := _ASSIGNMENT.fullmatch(plain):
            self._assign(self.variables, assignment)
            return rule
        colon = _outside_references(plain, ":")
        if colon < 0:
            return None
        targets = self.expand(plain[:colon]).split()
        rest = plain[colon + 1 :].lstrip(":")
        if assignment := _ASSIGNMENT.fullmatch(rest.strip()):
            made = Rule(targets, [])
            self._assign(made.variables, assignment, self.variables)
            self.rules.append(made)
            return None
        semicolon = _outside_references(rest, ";")
        command = rest[semicolon + 1 :].strip() if semicolon >= 0 else ""
        prerequisites = self.expand(rest[:semicolon] if semicolon >= 0 else rest)
        made = Rule(targets, re.findall(r"[^\s|:]+", prerequisites), [command] if command else [])
        self.rules.append(made)
        return made

    def _assign(
        self, into: dict[str, str], match: "re.Match[str]", above: dict[str, str] | None = None
    ) -> None:
        name, kind, value = self.expand(match[1]), match[2], match[3].strip()
        before = into.get(name, (above or {}).get(name))
        if kind == "!=" or (kind == "?=" and before is not None):
            return
        if kind == "+=" and before is not None:
            value = f"{before} {value}"
        elif kind.endswith(":=") or kind in (":=", "::=", ":::="):
            value = self.expand(value).replace("$", "$$")
        into[name] = value

    def _holds(self, condition: str) -> bool:
        word, _, rest = condition.partition(" ")
        rest = rest.strip() if rest else ""
        if "(" in word:  # ifeq(a,b) without the blank
            word, rest = condition[: condition.index("(")], condition[condition.index("(") :]
        if word in ("ifdef", "ifndef"):
            return bool(self.variables.get(self.expand(rest))) == (word == "ifdef")
        if word not in ("ifeq", "ifneq"):
            return False
        if rest.startswith("("):
            parts = _arguments(rest[1 : _closing(rest, 0) - 1])
        else:
            parts = [part[1] or part[2] or "" for part in re.finditer(r'"([^"]*)"|\'([^\']*)\'', rest)]
        parts = [self.expand(part).strip() for part in (*parts, "", "")]
        return (parts[0] == parts[1]) == (word == "ifeq")


def read_makefile(folder: Path, reach: Reach | None = None) -> Makefile | None:
    """The Makefile of `folder` as make would read it, with the files that it includes; None if there is none.

    Args:
        reach: which files may be read.
    """
    file = next((folder / name for name in NAMES if (folder / name).is_file()), None)
    if file is None:
        return None
    made = Makefile(folder, reach=reach)
    # What was read until the budget is spent counts.
    with suppress(Exhausted, RecursionError):
        made.include(file)
    return made


# ---- words and lines ----


def _logical_lines(text: str) -> Iterator[str]:
    yield from re.sub(r"\\\r?\n[ \t]*", " ", text).splitlines()


def _without_comment(line: str) -> str:
    return re.sub(r"(?<!\\)#.*$", "", line).replace("\\#", "#")


def _closing(text: str, opening: int) -> int:
    """Behind the bracket that closes the one at `opening`."""
    pair = {"(": ")", "{": "}"}[text[opening]]
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == text[opening]) - (text[at] == pair)
        if depth == 0:
            return at + 1
    return len(text) + 1


def _outside_references(text: str, wanted: str) -> int:
    """The first `wanted` that stands in no `$(...)`; -1 if there is none."""
    at = 0
    while at < len(text):
        if text[at] == "$" and text[at + 1 : at + 2] in ("(", "{"):
            at = _closing(text, at + 1)
        elif text[at] == wanted:
            return at
        else:
            at += 1
    return -1


def _arguments(text: str) -> list[str]:
    """Split at the commas that stand in no brackets."""
    parts, depth, start = list[str](), 0, 0
    for at, character in enumerate(text):
        depth += (character in "({") - (character in ")}")
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _split(line: str) -> list[str]:
    line = line.lstrip(" \t@-+") if line[:1] in "@-+ \t" and not re.match(r"\s*-\w", line) else line
    if len(line) > _LONGEST_COMMAND:  # the time that it takes to split grows with the square of the length
        return line.split()
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _stem(rule: Rule, names: tuple[str, ...]) -> str | None:
    """What the source's name is in a rule that makes something of it: the `%` of a pattern, or "" where it is named."""
    if set(names) & set(rule.prerequisites):
        return ""
    for target in rule.targets:
        # A target `name` without prerequisites, or `name.o`: a variable of its own may stand there.
        if not rule.prerequisites and any(Path(name).stem == Path(target).stem for name in names):
            return ""
    for pattern in rule.prerequisites:
        if "%" in pattern:
            before, after = pattern.removeprefix("./").split("%", 1)
            for name in names:
                if name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after):
                    return name[len(before) : len(name) - len(after)]
    for target in rule.targets:  # the old form: .cu.o:
        if target.startswith(".") and any(name.endswith("." + target[1:].split(".")[0]) for name in names):
            return names[0].rsplit(".", 1)[0]
    return None


def _automatic(rule: Rule, stem: str = "", name: str = "") -> dict[str, str]:
    prerequisites = [p.replace("%", stem) for p in rule.prerequisites] if stem else rule.prerequisites
    first = name if stem else next(iter(prerequisites), "")
    return {
        "@": (rule.targets[0] if rule.targets else "").replace("%", stem),
        "<": first,
        "^": " ".join(prerequisites),
        "+": " ".join(prerequisites),
        "?": " ".join(prerequisites),
        "*": stem,
    }


# ---- make's functions ----

_Function = Callable[[Makefile, list[str], dict[str, str], int], str]


def _patsubst(before: str, after: str, words: str) -> Iterator[str]:
    if "%" not in before:
        yield from (after if word == before else word for word in words.split())
        return
    start, end = before.split("%", 1)
    for word in words.split():
        if word.startswith(start) and word.endswith(end) and len(word) >= len(start) + len(end):
            yield _replaced(after, "%", word[len(start) : len(word) - len(end)])
        else:
            yield word


def _replaced(text: str, before: str, after: str) -> str:
    if text.count(before) * len(after) > _MOST_CHARACTERS:
        raise Exhausted
    return text.replace(before, after)


def _matching(patterns: str, words: str, *, wanted: bool) -> Iterator[str]:
    """Those of the words that fit one of the patterns, or none."""
    spelled = [pattern.replace("%", "*") for pattern in patterns.split()]
    plain = {pattern for pattern in spelled if not any(c in pattern for c in "*?[")}
    others = [pattern for pattern in spelled if pattern not in plain]
    if len(others) * len(words) > _MOST_CHARACTERS * 64:
        raise Exhausted
    for word in words.split():
        fits = word in plain or any(fnmatch.fnmatchcase(word, pattern) for pattern in others)
        if fits == wanted:
            yield word


def _wildcard(makefile: Makefile, patterns: str) -> str:
    found: list[str] = []
    for pattern in patterns.split()[:_MOST_INCLUDED]:
        makefile.budget.spend(steps=1000)
        place = Path(pattern)
        if place.is_absolute() or ".." in place.parts or "**" in pattern:
            found += [pattern] if (makefile.folder / place).exists() else []
            continue
        if sum(any(c in part for c in "*?[") for part in place.parts[:-1]) > 2:
            continue  # through everything below the folder
        globbed = islice(makefile.folder.glob(pattern), _MOST_INCLUDED * 50)
        found += sorted(path.relative_to(makefile.folder).as_posix() for path in globbed)
    return makefile.joined(found)


def _each(change: Callable[[str], str]) -> _Function:
    return lambda m, a, local, d: m.joined(change(word) for word in m.expand(a[0], local, d).split())


def _foreach(makefile: Makefile, parts: list[str], local: dict[str, str], depth: int) -> str:
    if len(parts) < 3:
        return ""
    name = makefile.expand(parts[0], local, depth).strip()
    return makefile.joined(
        makefile.expand(",".join(parts[2:]), {**local, name: word}, depth)
        for word in makefile.expand(parts[1], local, depth).split()
    )


def _if(makefile: Makefile, parts: list[str], local: dict[str, str], depth: int) -> str:
    holds = bool(makefile.expand(parts[0], local, depth).strip())
    chosen = parts[1:2] if holds else parts[2:3]
    return makefile.expand(chosen[0], local, depth) if chosen else ""


def _shell(makefile: Makefile, parts: list[str], local: dict[str, str], depth: int) -> str:
    command = ",".join(parts)
    if found := _FINDS_COMPILER.fullmatch(command):
        return found[1]
    return str(makefile.folder) if command.strip() == "pwd" else ""


def _on(change: Callable[..., str | Iterable[str]], number: int) -> _Function:
    """A function of `number` expanded arguments; the last takes the commas that are left."""

    def call(makefile: Makefile, parts: list[str], local: dict[str, str], depth: int) -> str:
        parts = [*parts[: number - 1], ",".join(parts[number - 1 :])]
        if len(parts) < number:
            return ""
        made = change(*(makefile.expand(part, local, depth) for part in parts))
        return made if isinstance(made, str) else makefile.joined(made)

    return call


def _each_place(makefile: Makefile, parts: list[str], local: dict[str, str], depth: int) -> str:
    words = makefile.expand(parts[0], local, depth).split()
    makefile.budget.spend(steps=10 * len(words))
    return makefile.joined(str((makefile.folder / word).resolve()) for word in words)


_FUNCTIONS: dict[str, _Function] = {
    "shell": _shell,
    "foreach": _foreach,
    "if": _if,
    "wildcard": lambda m, a, local, d: _wildcard(m, m.expand(a[0], local, d)),
    "patsubst": _on(lambda before, after, words: _patsubst(before.strip(), after.strip(), words), 3),
    "subst": _on(lambda before, after, text: _replaced(text, before, after) if before else text, 3),
    "strip": _on(lambda text: " ".join(text.split()), 1),
    "addprefix": _on(lambda prefix, words: (prefix + word for word in words.split()), 2),
    "addsuffix": _on(lambda suffix, words: (word + suffix for word in words.split()), 2),
    "filter": _on(lambda patterns, words: _matching(patterns, words, wanted=True), 2),
    "filter-out": _on(lambda patterns, words: _matching(patterns, words, wanted=False), 2),
    "findstring": _on(lambda wanted, text: wanted if wanted in text else "", 2),
    "sort": _on(lambda words: " ".join(sorted(set(words.split()))), 1),
    "firstword": _on(lambda words: next(iter(words.split()), ""), 1),
    "lastword": _on(lambda words: (words.split() or [""])[-1], 1),
    "notdir": _each(lambda word: word.rsplit("/", 1)[-1]),
    "dir": _each(lambda word: word.rsplit("/", 1)[0] + "/" if "/" in word else "./"),
    "basename": _each(lambda word: re.sub(r"\.[^./]*$", "", word)),
    "suffix": _each(lambda word: Path(word).suffix),
    "abspath": _each_place,
    "realpath": _each_place,
}  # fmt: skip
