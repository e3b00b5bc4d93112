"""Which files of the user a source includes, read as the preprocessor reads it: spliced lines, no comments, no strings.

What is found is more than what is compiled (both sides of an `#if` count), never less: a cache that goes by it may miss, but
never takes one text for another.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kernelwright_backends.cuda.cpu.headers import HeaderSearch

ABSENT = "absent"
_MOST_FILES = 500
_MOST_BYTES = 64 << 20  # of all together
_SPLICE = re.compile(rb"\\[ \t]*\r?\n")
_DIRECTIVE = re.compile(rb"[ \t]*(?:#|%:)[ \t]*([A-Za-z_]+)[ \t]*(.*)")
_INCLUDING = (b"include", b"include_next", b"import")
# One token that hides others, whichever begins first: a raw string, a string, a character, a comment of either kind.
_HIDING = re.compile(
    rb'R"(?P<mark>[^ ()\\\t\r\n]{0,16})\(.*?\)(?P=mark)"'
    rb'|"(?:\\.|[^"\\\n])*"'
    rb"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'"
    rb"|/\*.*?(?:\*/|\Z)|//[^\n]*",
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
    waiting: list[tuple[Path, bytes]] = [(path, text.encode("utf-8", "surrogatepass"))]
    seen = {path}
    size_bytes = 0
    while waiting:
        here, content = waiting.pop()
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
    return found


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except OSError:  # a name that is too long
        return False


def _named(here: Path, content: bytes) -> Iterator[tuple[str, bool]]:
    """The file names of the including directives, and whether each stands in quotation marks."""
    for word, rest in directives(content):
        if word == b"embed" or (word in (b"if", b"elif") and b"__has_" in rest):
            raise Unbounded(f"{here.name} asks for files by #{word.decode()}")
        if word not in _INCLUDING:
            continue
        for opening, closing in ((b'"', b'"'), (b"<", b">")):
            if rest.startswith(opening) and closing in rest[1:]:
                yield rest[1 : rest.index(closing, 1)].decode("utf-8", "replace"), opening == b'"'
                break
        else:
            raise Unbounded(f"{here.name} includes a file that a macro names")


def directives(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(word, rest) of every directive, comments taken out."""
    spliced = _SPLICE.sub(b"", content)

    def hidden(match: "re.Match[bytes]") -> bytes:
        token = match[0]
        # Strings stay (an include's name is one) unless they stretch over lines, where a `#` would look like a directive.
        return token if token[:1] in b"\"'" and b"\n" not in token else b" "

    for line in _HIDING.sub(hidden, spliced).splitlines():
        match = _DIRECTIVE.match(line)
        if match is not None:
            yield match[1], match[2].strip()
