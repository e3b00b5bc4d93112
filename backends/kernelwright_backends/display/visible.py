"""Makes text of others safe to show: every character is visible, none acts.

An escape sequence moves the cursor of whoever reads it, a bidirectional control turns a line around, a character without width
hides. In what is shown to people, each of them stands as its number.
"""

import re

# Controls of C0 (but tab and newline) and C1, what directs or joins writing, what has no width, tags, halves of surrogate pairs.
UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""The inside of a character class."""
_UNSEEN = re.compile(f"[{UNSEEN}]")
_UNSEEN_OR_BREAK = re.compile(f"[{UNSEEN}\n]")


def visible(text: str) -> str:
    """`text` with what nobody would see, or what would act, as `\\x1b`, `\\u202e`, `\\U000e0041`. Lines and tabs stay."""
    return _UNSEEN.sub(lambda match: _escaped(match[0]), text)


def visible_line(text: str) -> str:
    """The same on one line: a newline stands as `\\n`."""
    return _UNSEEN_OR_BREAK.sub(lambda match: _escaped(match[0]), text)


def visible_json(text: str) -> str:
    """JSON of the same content whose strings hold no such character as it is."""
    return _UNSEEN.sub(lambda match: _json_escape(match[0]), text)


def _escaped(character: str) -> str:
    number = ord(character)
    if character == "\n":
        return "\\n"
    return (
        f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"
    )


def _json_escape(character: str) -> str:
    number = ord(character)
    if number < 65536:
        return f"\\u{number:04x}"
    return f"\\u{0xD800 + (number - 65536 >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"
