"""Which files of the user a source includes, read as the preprocessor reads it: spliced lines, no comments, no strings.

What is found is more than what is compiled (both sides of an `#if` count), never less: a cache that goes by it may miss, but
never takes one text for another.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from kernelwright_backends.host.header_search import HeaderSearch, looks_for_itself
from kernelwright_backends.untrusted.reach import Reach

ABSENT = "absent"
_MOST_FILES = 500
_MOST_BYTES = 64 << 20  # of all together
_SPLICE = re.compile(rb"\\[ \t\f\v\0]*\r?\n")
_DIRECTIVE = re.compile(rb"[ \t]*(?:#|%:)[ \t]*([A-Za-z_]+)[ \t]*(.*)")
_INCLUDING = (b"include", b"include_next", b"import")
# The tokens of which another may seem to be a part, as a compiler takes them: one behind the other, each as long as can be. Words
# and numbers hide nothing, but what follows them is no prefix of a string's; an open quotation reaches to the end of its line.
_TOKEN = re.compile(
    rb'(?:u8|[uUL])?R"(?P<mark>[^ ()\\\t\r\n]{0,16})\(.*?\)(?P=mark)"'
    rb"|(?:u8|[uUL])?(?:\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|[\"'][^\n]*)"
    rb"|/\*.*?(?:\*/|\Z)|//[^\n]*"
    rb"|(?P<word>\.?[0-9](?:'?[\w.$\x80-\xff])*|[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)",
    re.DOTALL,
)


class Unbounded(Exception):
    """What a source reads cannot be told from its text (a macro names the file, data are embedded)."""


def file_hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def included_files(
    path: Path, text: str, folders: Sequence[Path], search: HeaderSearch | None = None
) -> dict[str, str]:
    """Every file of the user that `text`, standing for `path`, includes directly or through others.

    Args:
        folders: include folders of the user, in the compiler's order.
        search: finds headers where no folder leads, as the dialect's toolchain does; None: where projects keep them.

    Returns:
        Absolute path -> SHA-256 of its content; `ABSENT` for places that were looked at before and hold nothing, so that a
        file that appears there later counts.

    Raises:
        Unbounded: a file is named by a macro, embedded, or there are too many of them.
    """
    found: dict[str, str] = {}
    search = search or HeaderSearch(path, folders, ())
    looks = False
    waiting: list[tuple[Path, bytes]] = [(path, text.encode("utf-8", "surrogatepass"))]
    seen = {path}
    size_bytes = 0
    while waiting:
        here, content = waiting.pop()
        looks = looks or looks_for_itself(content) or _is_doubtful(content)
        for name, quoted in _named(here, content):
            if "\0" in name:
                continue
            header: Path | None = None
            for folder in (*([here.parent] if quoted else []), *folders):
                place = folder / name
                # What is not read is as good as absent: no compiler is shown it either.
                if _is_file(place) and search.reach.holds(place):
                    header = place.resolve()
                    break
                found.setdefault(str(place), ABSENT)
            else:
                header = search.find(f'"{name}"' if quoted else f"<{name}>", here.parent)
            if header is None:
                continue
            try:
                read = search.reach.read(header)
            except OSError:
                raise Unbounded(f"{header} cannot be read") from None
            found[str(header)] = file_hash(read)
            if header not in seen:
                seen.add(header)
                waiting.append((header, read))
                size_bytes += len(read)
            if len(found) > _MOST_FILES or size_bytes > _MOST_BYTES:
                raise Unbounded(f"{path.name} includes more than {_MOST_FILES} files or {_MOST_BYTES} bytes")
    if looks:
        around = dict.fromkeys((*(place.parent for place in sorted(seen)), *folders))
        found[str(path.parent)] = shown_files(search.reach, around, [*seen, *map(Path, found)])
    return found


def shown_files(reach: Reach, folders: Iterable[Path], without: Collection[Path]) -> str:
    """What stands for the files around a source, where it is not known which of them it looks at.

    Args:
        without: files whose content is known.

    Raises:
        Unbounded: there are too many.
    """
    state = reach.state(folders, frozenset(without))
    if state is None:
        raise Unbounded("it may read any of too many files")
    return state


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except OSError:  # a name that is too long
        return False


def _named(here: Path, content: bytes) -> Iterator[tuple[str, bool]]:
    """The file names of the including directives, and whether each stands in quotation marks."""
    for word, rest in directives(content):
        if word == b"embed" or (word in (b"if", b"elif") and b"__has_" in rest):
            raise Unbounded(f"{here.name} reads files with #{word.decode()}")
        if word not in _INCLUDING:
            continue
        for opening, closing in ((b'"', b'"'), (b"<", b">")):
            if rest.startswith(opening) and closing in rest[1:]:
                yield rest[1 : rest.index(closing, 1)].decode("utf-8", "replace"), opening == b'"'
                break
        else:
            raise Unbounded(f"{here.name} has an include whose file name is a macro")


def _is_doubtful(content: bytes) -> bool:
    """Whether it may include in a spelling that only compilers read: the word stands elsewhere than in a plain directive, a
    trigraph may, or a raw string may end elsewhere, its spliced lines being none."""
    spliced = _SPLICE.sub(b"", content)
    if b"??" in spliced or (b'R"' in spliced and len(spliced) < len(content)):
        return True
    plain = _TOKEN.sub(lambda match: match[0] if match["word"] else b" ", spliced)
    return plain.count(b"include") > sum(b"include" in word for word, _ in directives(content))


def directives(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(word, rest) of every directive, comments taken out."""
    spliced = _SPLICE.sub(b"", content)

    def hidden(match: "re.Match[bytes]") -> bytes:
        token = match[0]
        # Strings stay (an include's name is one) unless they stretch over lines, where a `#` would look like a directive.
        return b" " if b"\n" in token or token.startswith((b"/*", b"//")) else token

    for line in _TOKEN.sub(hidden, spliced).splitlines():
        match = _DIRECTIVE.match(line)
        if match is not None:
            yield match[1], match[2].strip()
