"""Where in a candidate's text something stands; what its comments say accuses nobody."""

import re

from kernelwright_backends.finding import Range

# Strings are matched so that `//` inside of one begins no comment; an apostrophe between digits begins no character.
_TOKEN = re.compile(
    r'(?P<raw>R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)")'
    r"|(?P<comment>//(?:\\\r?\n|[^\r\n])*|/\*.*?(?:\*/|\Z))"
    r'|"(?:\\.|[^"\\\r\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\r\n])*'",
    re.DOTALL,
)


def code_of(text: str) -> str:
    """The text with blanks for its comments and raw strings: every place stays where it is."""

    def blanked(match: re.Match[str]) -> str:
        if match["raw"] is None and match["comment"] is None:
            return match[0]
        return re.sub(r"[^\r\n]", " ", match[0])

    return _TOKEN.sub(blanked, text)


def without_strings(text: str) -> str:
    """The text with blanks for its comments and for what stands in quotes, but for the files that it includes."""

    def blanked(match: re.Match[str]) -> str:
        if match["raw"] is None and match["comment"] is None:
            line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if re.match(r"[ \t]*#[ \t]*include\b", line):
                return match[0]
            return match[0][0] + re.sub(r"[^\r\n]", " ", match[0][1:-1]) + match[0][-1]
        return re.sub(r"[^\r\n]", " ", match[0])

    return _TOKEN.sub(blanked, text)


def range_of(text: str, begin: int, end: int) -> Range:
    """Lines and columns of [begin, end), which lies on one line."""
    line_start = max(text.rfind("\n", 0, begin), text.rfind("\r", 0, begin)) + 1
    line = len(re.findall(r"\r\n|\r|\n", text[:begin])) + 1
    return Range(line=line, column=begin - line_start + 1, end_line=line, end_column=end - line_start + 1)
