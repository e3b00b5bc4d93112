"""CMakeLists.txt, read and never run: what the targets and folders of a project say of a source.

Of the language count variables, lists, conditions, loops over lists, functions and macros of the project, what folders and targets
give their sources, and which targets pass theirs on. Programs are not called. What a condition asks of packages or options that
nobody set is taken as a build with CUDA on Linux would find it.
"""

import fnmatch
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from kernelwright_backends.untrusted.reach import Reach
from kernelwright_verifier.build_systems.budget import Budget, Exhausted
from kernelwright_verifier.build_systems.cmake_conditions import BUILT_WITH_CUDA, Condition
from kernelwright_verifier.build_systems.cmake_configured import Configured
from kernelwright_verifier.build_systems.cmake_language import (
    Command,
    expand,
    generated,
    is_true,
    parse,
    values_of,
)
from kernelwright_verifier.build_systems.cmake_routines import Routine, parsed_arguments
from kernelwright_verifier.build_systems.settings import BuildFacts, only_macros, read_options, standard_of

FILE_NAME = "CMakeLists.txt"
_LARGEST_BYTES, _MOST_FILES, _MOST_TURNS, _MOST_LIBRARIES = 1 << 20, 300, 200, 20
_LONGEST_COMMAND = 1 << 17  # characters
_MOST_CALLS, _DEEPEST_CALL = 1000, 20
_MOST_COMMANDS, _MOST_CHARACTERS, _DEEPEST_BLOCK = 50_000, 8 << 20, 60
_MOST_TARGETS, _MOST_NAMED = 2000, 2000
_ALL = ("PUBLIC", "PRIVATE", "INTERFACE", "SYSTEM", "BEFORE", "AFTER")
_NEW_TARGET = ("add_executable", "add_library", "cuda_add_executable", "cuda_add_library")
_OTHER_DEVICES = re.compile(r"(?:.*_)?(?:AMD|HIP|ROCM)(?:_.*)?", re.IGNORECASE)
_OF_TESTS = ("NAME", "COMMAND", "WORKING_DIRECTORY", "CONFIGURATIONS", "COMMAND_EXPAND_LISTS")
_FILE_OF_TARGET = re.compile(r"\$<TARGET_FILE:([^<>]*)>")
_GLOB = "\x1fglob:"  # before a pattern of file(GLOB ...) in the value of a variable


@dataclass
class Target:
    folder: "Folder"
    sources: list[str] = field(default_factory=list)
    own: BuildFacts = field(default_factory=BuildFacts)
    passed: BuildFacts = field(default_factory=BuildFacts)  # to those that link it
    links: list[tuple[str, bool]] = field(default_factory=list)  # (name, passed on)


@dataclass
class Folder:
    path: Path
    variables: dict[str, str]
    facts: BuildFacts
    targets: dict[str, Target]  # of the whole project


@dataclass(frozen=True)
class Test:
    """A program and the words behind its name."""

    command: str
    words: tuple[str, ...]
    file: Path


@dataclass
class Project:
    """What was read of a tree of CMakeLists.txt."""

    root: Path
    reach: Reach
    """of a document below it: what is read and made is what that document may have"""
    read: list[Path] = field(default_factory=list)
    folders: dict[Path, Folder] = field(default_factory=dict)
    targets: dict[str, Target] = field(default_factory=dict)
    of_files: dict[Path, BuildFacts] = field(default_factory=dict)
    routines: dict[str, Routine] = field(default_factory=dict)
    tests: list[Test] = field(default_factory=list)
    calls: int = 0  # of routines, all together
    budget: Budget = field(default_factory=lambda: Budget(_MOST_COMMANDS, _MOST_CHARACTERS))
    depth: int = 0  # of blocks, files and calls within each other
    configured: Configured = field(init=False)

    def __post_init__(self) -> None:
        self.configured = Configured(self.root, self.reach)

    def of(self, source: Path) -> BuildFacts:
        """What the targets of `source` say, with the folders of headers that are configured; see `_of`."""
        facts = self._of(source)
        return replace(facts, include=self.configured.with_shadows(facts.include))

    def test_of(self, source: Path) -> Test | None:
        """The first test that starts the target of `source` with words of its own."""
        for test in self.tests:
            target = self.targets.get(test.command)
            if target is None or not test.words:
                continue
            if any(_is_source(source, named, target.folder.path) for named in target.sources):
                return test
        return None

    def _of(self, source: Path) -> BuildFacts:
        """What the first target of `source` says; of a header one that finds it, else those of the nearest folder."""
        named = [
            t for t in self.targets.values() if any(_is_source(source, s, t.folder.path) for s in t.sources)
        ]
        listed = bool(named)
        if not named:
            named = [
                t for t in self.targets.values() if any(source.is_relative_to(i) for i in t.own.include)
            ][:1]
        above = next((self.folders[f] for f in source.parents if f in self.folders), None)
        if not named and above is not None:
            named = [t for t in self.targets.values() if t.folder is above]
        facts = self.of_files.get(source, BuildFacts())
        for target in named[:_MOST_LIBRARIES]:
            facts |= self._whole(target, set())
        if listed:
            return facts
        if not named and above is not None:
            facts |= _of_folder(above)
        # A target that a function of the project makes: most likely it links what the project's libraries pass on.
        for target in list(self.targets.values())[:_MOST_LIBRARIES]:
            facts |= BuildFacts(include=target.passed.include)
        return facts

    def _whole(self, target: Target, seen: set[int]) -> BuildFacts:
        facts = target.own | _of_folder(target.folder)
        for name, _ in target.links:
            facts |= self._handed(name, seen)
        return facts

    def _handed(self, name: str, seen: set[int]) -> BuildFacts:
        """What linking `name` brings, with what it passes on of others."""
        target = self.targets.get(name)
        if target is None or id(target) in seen or len(seen) > _MOST_CALLS:
            return BuildFacts()
        seen.add(id(target))
        facts = BuildFacts(target.passed.include, target.passed.define, target.passed.std)
        for linked, passed_on in target.links:
            if passed_on:
                facts |= self._handed(linked, seen)
        return facts


def read_project(root: Path, below: Iterable[Path], reach: Reach) -> Project:
    """The project whose uppermost folder is `root`, and of the folders `below` also those that nothing above adds."""
    project = Project(root, reach)
    built = str(project.configured.binary)
    variables = {"CMAKE_SOURCE_DIR": str(root), "PROJECT_SOURCE_DIR": str(root), "CMAKE_BINARY_DIR": built,
                 "PROJECT_BINARY_DIR": built, **_GIVEN}  # fmt: skip
    # What was read until the budget is spent counts.
    with suppress(Exhausted, RecursionError):
        _Reader(project, Folder(root, variables, BuildFacts(), project.targets)).file(root / FILE_NAME)
        for folder in sorted(below, key=lambda path: len(path.parts)):
            if folder not in project.folders and (folder / FILE_NAME).is_file():
                above = next(project.folders[f] for f in (*folder.parents, root) if f in project.folders)
                _Reader(project, _within(above, folder)).file(folder / FILE_NAME)
    return project


# What a build with CUDA on Linux finds.
_FOUND = (
    "UNIX", "LINUX", "CMAKE_COMPILER_IS_GNUCXX", "CUDA_FOUND", "CUDAToolkit_FOUND", "CMAKE_CUDA_COMPILER", "OPENMP_FOUND",
    "OpenMP_FOUND", "OpenMP_CXX_FOUND",
)  # fmt: skip
_GIVEN = dict.fromkeys(_FOUND, "1") | {
    "CMAKE_SYSTEM_NAME": "Linux", "CMAKE_CXX_COMPILER_ID": "GNU", "CMAKE_CUDA_COMPILER_ID": "NVIDIA",
    "CMAKE_SYSTEM_PROCESSOR": "x86_64", "CMAKE_BUILD_TYPE": "Release", "CUDA_VERSION": "12.4", "CUDA_VERSION_MAJOR": "12",
    "CMAKE_CUDA_ARCHITECTURES": "90", "CMAKE_CUDA_COMPILER_VERSION": "12.4", "CUDAToolkit_VERSION": "12.4", "CMAKE_VERSION": "3.22", "CMAKE_SIZEOF_VOID_P": "8",
}  # fmt: skip


def _within(above: Folder, path: Path) -> Folder:
    return Folder(path, dict(above.variables), above.facts, above.targets)


def _of_folder(folder: Folder) -> BuildFacts:
    """What every source of the folder is compiled with: its own words and the variables that CMake reads."""
    words: list[str] = []
    for name in ("CMAKE_CXX_FLAGS", "CMAKE_CUDA_FLAGS", "CUDA_NVCC_FLAGS"):
        words += _words(folder.variables.get(name, "").replace(";", " "))
    facts = folder.facts | read_options([generated(word) for word in words], folder.path)
    standards = (folder.variables.get(f"CMAKE_{language}_STANDARD", "") for language in ("CUDA", "CXX"))
    return facts | BuildFacts(std=next((s for number in standards if (s := standard_of(number))), None))


def _is_source(source: Path, named: str, folder: Path) -> bool:
    if named.startswith(_GLOB):
        return fnmatch.fnmatchcase(str(source), named[len(_GLOB) :])
    return named.endswith(source.name) and (folder / named) == source


def _words(text: str) -> list[str]:
    if len(text) > _LONGEST_COMMAND:  # the time that it takes to split grows with the square of the length
        return text.split()
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


class _Reader:
    """Goes through the commands of one folder."""

    def __init__(self, project: Project, folder: Folder) -> None:
        self._project, self._folder = project, folder
        project.folders.setdefault(folder.path, folder)
        self._variables = folder.variables
        self._variables["CMAKE_CURRENT_SOURCE_DIR"] = str(folder.path)
        self._built = project.configured.binary / folder.path.relative_to(project.root)
        self._variables["CMAKE_CURRENT_BINARY_DIR"] = str(self._built)
        self._turns = 0
        self._raised: list[
            dict[str, str]
        ] = []  # of each function that is being called: what it sets in its caller

    def file(self, file: Path) -> None:
        if len(self._project.read) >= _MOST_FILES:
            return
        try:
            content = self._project.reach.read(file, limit_bytes=_LARGEST_BYTES)
        except OSError:
            return
        text = content.decode("utf-8", "replace").replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
        self._project.read.append(file)
        before = self._variables.get("CMAKE_CURRENT_LIST_DIR", "")
        self._variables["CMAKE_CURRENT_LIST_DIR"] = str(file.parent)
        self._run(list(parse(text)))
        self._variables["CMAKE_CURRENT_LIST_DIR"] = before

    # ---- control ----

    def _run(self, commands: list[Command]) -> None:
        self._project.depth += 1
        if self._project.depth > _DEEPEST_BLOCK:
            raise Exhausted
        self._each(commands)
        self._project.depth -= 1

    def _each(self, commands: list[Command]) -> None:
        at = 0
        while at < len(commands):
            command = commands[at]
            self._project.budget.spend()
            end = _ENDS.get(command.name)
            if end is None:
                if command.name == "return":
                    return
                self._one(command)
                at += 1
                continue
            behind = _matching(commands, at, command.name, end)
            self._project.budget.spend(steps=1 + (behind - at) // 16)
            if command.name == "if":
                self._branches(commands[at:behind])
            elif command.name == "foreach":
                self._loop(command, commands[at + 1 : behind - 1])
            elif command.name == "block":
                self._run(commands[at + 1 : behind - 1])
            elif command.name in ("function", "macro"):
                self._define(command, commands[at + 1 : behind - 1])
            at = behind

    def _define(self, command: Command, body: list[Command]) -> None:
        words = self._arguments(command)
        if words:
            routine = Routine(command.name == "function", tuple(words[1:]), tuple(body))
            self._project.routines[words[0].lower()] = routine

    def _call(self, routine: Routine, words: list[str]) -> None:
        self._project.calls += 1
        if self._project.calls > _MOST_CALLS or len(self._raised) >= _DEEPEST_CALL:
            return
        before = dict(self._variables)
        given = routine.variables(words)
        self._variables.update(given)
        self._raised.append({})
        self._run(list(routine.body))
        raised = self._raised.pop()
        if routine.has_scope:
            self._variables.clear()
            self._variables.update(before | raised)
            return
        for name in given:
            self._variables.pop(name, None)
            if name in before:
                self._variables[name] = before[name]

    def _branches(self, commands: list[Command]) -> None:
        depth, starts = 0, []
        for number, command in enumerate(commands):
            depth += (command.name == "if") - (command.name == "endif")
            if (depth == 1 and command.name in ("if", "elseif", "else")) or number == len(commands) - 1:
                starts.append(number)
        for start, end in pairwise(starts):
            command = commands[start]
            if command.name == "else" or self._holds(command):
                self._run(commands[start + 1 : end])
                return

    def _loop(self, command: Command, body: list[Command]) -> None:
        words = self._arguments(command)
        if not words or words[1:2] == ["RANGE"]:
            return
        name, items = words[0], words[1:]
        if items[:2] == ["IN", "LISTS"]:
            items = [
                value for variable in items[2:] for value in values_of(self._variables.get(variable, ""))
            ]
        elif items[:2] == ["IN", "ITEMS"]:
            items = items[2:]
        for item in items:
            self._turns += 1
            if self._turns > _MOST_TURNS:
                return
            self._variables[name] = item
            self._run(body)

    def _holds(self, command: Command) -> bool:
        words: list[tuple[str, bool]] = []
        for argument in command.arguments:
            if argument.quoted:
                words.append((expand(argument.text, self._variables), True))
            else:
                words += [
                    (value, False) for value in values_of(expand(argument.text, self._variables)) or [""]
                ]
        return Condition(words, self._variables, self._folder.path).holds()

    def _arguments(self, command: Command) -> list[str]:
        found: list[str] = []
        for argument in command.arguments:
            text = argument.text if argument.literal else expand(argument.text, self._variables)
            self._project.budget.spend(len(text))
            found += [text] if argument.quoted else values_of(text)
        return found

    # ---- commands ----

    def _one(self, command: Command) -> None:
        words = self._arguments(command)
        if command.name in _NEW_TARGET:
            self._target(words)
        elif (does := getattr(self, f"_do_{command.name}", None)) is not None:
            if words:
                does(words)
        elif (routine := self._project.routines.get(command.name)) is not None:
            self._call(routine, words)

    def _do_set(self, words: list[str]) -> None:
        values = words[1:]
        if values[-1:] == ["PARENT_SCOPE"] and self._raised:
            self._raised[-1][words[0]] = ";".join(values[:-1])
            return
        for word in ("CACHE", "PARENT_SCOPE"):
            if word in values:
                if word == "CACHE" and words[0] in self._variables:
                    return
                values = values[: values.index(word)]
        self._variables[words[0]] = ";".join(values)

    def _do_cmake_parse_arguments(self, words: list[str]) -> None:
        self._variables.update(parsed_arguments(words))

    def _do_unset(self, words: list[str]) -> None:
        self._variables.pop(words[0], None)

    def _do_option(self, words: list[str]) -> None:
        default = words[2] if len(words) > 2 else "OFF"
        # A kernel is compiled at all only in a build with CUDA, whatever the option's default.
        if _OTHER_DEVICES.fullmatch(words[0]):
            default = "OFF"
        elif BUILT_WITH_CUDA.match(words[0]) and not is_true(default):
            default = "ON"
        self._variables.setdefault(words[0], default)

    def _do_project(self, words: list[str]) -> None:
        self._variables |= {
            "PROJECT_NAME": words[0], "PROJECT_SOURCE_DIR": str(self._folder.path),
            f"{words[0]}_SOURCE_DIR": str(self._folder.path), "PROJECT_BINARY_DIR": str(self._built),
            f"{words[0]}_BINARY_DIR": str(self._built),
        }  # fmt: skip
        if "VERSION" in words[:-1]:
            version = words[words.index("VERSION") + 1]
            parts = ("VERSION", *(f"VERSION_{part}" for part in ("MAJOR", "MINOR", "PATCH", "TWEAK")))
            for part, value in zip(parts, (version, *version.split(".")), strict=False):
                self._variables[f"PROJECT_{part}"] = self._variables[f"{words[0]}_{part}"] = value

    def _do_list(self, words: list[str]) -> None:
        if len(words) < 2:
            return
        kind, name, values = words[0].upper(), words[1], words[2:]
        before = values_of(self._variables.get(name, ""))
        if kind in ("APPEND", "PREPEND"):
            self._project.budget.spend(sum(map(len, before)))
            self._variables[name] = ";".join(before + values if kind == "APPEND" else values + before)
        elif kind == "REMOVE_ITEM":
            self._variables[name] = ";".join(value for value in before if value not in values)

    def _do_file(self, words: list[str]) -> None:
        if words[0].upper() not in ("GLOB", "GLOB_RECURSE") or len(words) < 2:
            return
        patterns = [word for word in words[2:] if "." in word or "*" in word]
        self._variables[words[1]] = ";".join(f"{_GLOB}{self._folder.path / pattern}" for pattern in patterns)

    def _do_get_filename_component(self, words: list[str]) -> None:
        if len(words) < 3:
            return
        place, kind = self._folder.path / words[1], words[2].upper()
        made = {"DIRECTORY": place.parent, "PATH": place.parent, "NAME": place.name, "NAME_WE": place.stem,
                "ABSOLUTE": place.resolve(), "REALPATH": place.resolve()}.get(kind)  # fmt: skip
        if made is not None:
            self._variables[words[0]] = str(made)

    def _do_include(self, words: list[str]) -> None:
        name = words[0]
        module_folders = values_of(self._variables.get("CMAKE_MODULE_PATH", ""))
        places = [self._folder.path / name] if name.endswith(".cmake") else []
        folders = (*module_folders, str(self._project.root / "cmake"))
        places += [self._folder.path / folder / f"{name}.cmake" for folder in folders]
        for place in places:
            resolved = place.resolve()
            if self._project.reach.holds(resolved) and resolved.is_file():
                if resolved not in self._project.read:
                    self.file(resolved)
                return

    def _do_add_subdirectory(self, words: list[str]) -> None:
        path = (self._folder.path / words[0]).resolve()
        if path not in self._project.folders and self._project.reach.holds(path):
            _Reader(self._project, _within(self._folder, path)).file(path / FILE_NAME)

    def _do_subdirs(self, words: list[str]) -> None:
        for word in words:
            self._do_add_subdirectory([word])

    def _do_configure_file(self, words: list[str]) -> None:
        if len(words) > 1:
            output = (self._built / words[1]).resolve()
            self._project.read.append(pattern := (self._folder.path / words[0]).resolve())
            self._project.configured.make(
                pattern, output, self._variables, copied="COPYONLY" in words, at_only="@ONLY" in words
            )

    # ---- of folders ----

    def _tell(self, facts: BuildFacts) -> None:
        self._folder.facts |= facts

    def _do_include_directories(self, words: list[str]) -> None:
        self._tell(BuildFacts(include=self._places(words)))

    _do_cuda_include_directories = _do_include_directories

    def _do_add_definitions(self, words: list[str]) -> None:
        self._tell(self._options(words))

    _do_add_compile_options = _do_add_definitions

    def _do_add_compile_definitions(self, words: list[str]) -> None:
        self._tell(BuildFacts(define=_macros(words)))

    # ---- of targets ----

    def _target(self, words: list[str]) -> None:
        if not words or "IMPORTED" in words:
            return
        if "ALIAS" in words:
            if (known := self._folder.targets.get(words[-1])) is not None:
                self._folder.targets[words[0]] = known
            return
        if words[0] in self._folder.targets or len(self._folder.targets) < _MOST_TARGETS:
            target = self._folder.targets.setdefault(words[0], Target(self._folder))
            target.sources += words[1 : 1 + _MOST_NAMED - len(target.sources)]

    def _do_add_test(self, words: list[str]) -> None:
        """`add_test(NAME n COMMAND program words...)`, and the old form `add_test(n program words...)`."""
        command = words[1:]
        if words[0] == "NAME":
            at = words.index("COMMAND") + 1 if "COMMAND" in words else len(words)
            end = next((n for n in range(at, len(words)) if words[n] in _OF_TESTS), len(words))
            command = words[at:end]
        if command and not any("$<" in word for word in command[1:]):
            name = _FILE_OF_TARGET.sub(r"\1", command[0]).rsplit("/", 1)[-1]
            self._project.tests.append(Test(name, tuple(command[1:]), self._folder.path / FILE_NAME))

    def _do_target_sources(self, words: list[str]) -> None:
        if (target := self._folder.targets.get(words[0])) is not None:
            target.sources += [
                word if word.startswith(_GLOB) else str(self._folder.path / word)
                for word in words[1:]
                if word not in _ALL
            ]

    def _give(self, words: list[str], facts: Callable[[list[str]], BuildFacts]) -> None:
        target = self._folder.targets.get(words[0])
        if target is None:
            return
        for kind, values in _kinds(words[1:]):
            made = facts(values)
            if kind != "INTERFACE":
                target.own |= made
            if kind in ("PUBLIC", "INTERFACE"):
                target.passed |= made

    def _do_target_include_directories(self, words: list[str]) -> None:
        self._give(words, lambda values: BuildFacts(include=self._places(values)))

    def _do_target_compile_definitions(self, words: list[str]) -> None:
        self._give(words, lambda values: BuildFacts(define=_macros(values)))

    def _do_target_compile_options(self, words: list[str]) -> None:
        self._give(words, self._options)

    def _do_target_compile_features(self, words: list[str]) -> None:
        self._give(
            words, lambda values: BuildFacts(std=_newest(standard_of(v[-2:]) for v in values if "_std_" in v))
        )

    def _do_target_link_libraries(self, words: list[str]) -> None:
        if (target := self._folder.targets.get(words[0])) is not None:
            for kind, values in _kinds(words[1:]):
                target.links += [(value, kind != "PRIVATE") for value in values]

    def _do_set_target_properties(self, words: list[str]) -> None:
        if "PROPERTIES" in words:
            at = words.index("PROPERTIES")
            for name in words[:at]:
                if (target := self._folder.targets.get(name)) is not None:
                    target.own = self._properties(words[at + 1 :]) | target.own

    def _do_set_property(self, words: list[str]) -> None:
        if "PROPERTY" not in words:
            return
        at = words.index("PROPERTY")
        names = [word for word in words[1:at] if word not in ("APPEND", "APPEND_STRING")]
        value = [words[at + 1], ";".join(words[at + 2 :])] if len(words) > at + 2 else []
        if words[0] == "TARGET":
            self._do_set_target_properties([*names, "PROPERTIES", *value])
        elif words[0] == "SOURCE":
            self._do_set_source_files_properties([*names, "PROPERTIES", *value])
        elif words[0] == "DIRECTORY":
            self._tell(self._properties(value))

    def _do_set_source_files_properties(self, words: list[str]) -> None:
        if "PROPERTIES" in words:
            at = words.index("PROPERTIES")
            for name in words[:at]:
                file = self._folder.path / name
                known = self._project.of_files.get(file, BuildFacts())
                self._project.of_files[file] = known | self._properties(words[at + 1 :])

    def _properties(self, words: list[str]) -> BuildFacts:
        facts = BuildFacts()
        for name, value in zip(words[::2], words[1::2], strict=False):
            if name == "COMPILE_DEFINITIONS":
                facts |= BuildFacts(define=_macros(values_of(value)))
            elif name in ("COMPILE_FLAGS", "COMPILE_OPTIONS"):
                facts |= read_options(_words(value.replace(";", " ")), self._folder.path)
            elif name in ("INCLUDE_DIRECTORIES", "INTERFACE_INCLUDE_DIRECTORIES"):
                facts |= BuildFacts(include=self._places(values_of(value)))
            elif name in ("CUDA_STANDARD", "CXX_STANDARD"):
                facts |= BuildFacts(std=standard_of(value))
        return facts

    def _places(self, words: list[str]) -> tuple[Path, ...]:
        return tuple((self._folder.path / word).resolve() for word in _evaluated(words))

    def _options(self, words: list[str]) -> BuildFacts:
        """Of options one each, or several in one; quotation marks in a macro's value belong to it."""
        parts = [[word] if '"' in word else _words(word) for word in _evaluated(words)]
        return read_options([word for part in parts for word in part], self._folder.path)


_ENDS = {"if": "endif", "foreach": "endforeach", "while": "endwhile", "function": "endfunction", "macro": "endmacro",
         "block": "endblock"}  # fmt: skip


def _matching(commands: list[Command], at: int, begin: str, end: str) -> int:
    """Behind the command that ends the block begun at `at`."""
    depth = 0
    for number in range(at, len(commands)):
        depth += (commands[number].name == begin) - (commands[number].name == end)
        if depth == 0:
            return number + 1
    return len(commands)


def _evaluated(words: Iterable[str]) -> list[str]:
    """The values with their expressions evaluated, which may hold several of them."""
    return values_of(generated(";".join(word for word in words if word not in _ALL)))


def _macros(words: Iterable[str]) -> tuple[str, ...]:
    return only_macros(word.removeprefix("-D") for word in _evaluated(words))


def _newest(standards: Iterable[str | None]) -> str | None:
    return max((s for s in standards if s is not None), default=None)


def _kinds(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """(PUBLIC, PRIVATE or INTERFACE, the values behind it); PUBLIC where nothing says it."""
    kind = "PUBLIC"
    values: list[str] = []
    for word in words:
        if word in ("PUBLIC", "PRIVATE", "INTERFACE"):
            yield kind, values
            kind, values = word, []
        else:
            values.append(word)
    yield kind, values
