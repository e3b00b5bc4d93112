"""Characters that make the displayed text differ from the compiled one: invisible, reordering, or look-alike characters.

In a person's own file they are mentioned where they stand in the code itself, or reach out of a comment or a string. A candidate
that a model wrote or that was imported has no use for any of them, and is refused.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from kernelwright_backends.core.finding import Finding, Range, Severity, finding
from kernelwright_verifier.gates.hack.places import range_of, without_strings
from kernelwright_verifier.task.plan import Plan

CODE = "HACK_HIDDEN"
_TURNS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_OPENS, _CLOSES = frozenset("\u202a\u202b\u202d\u202e\u2066\u2067\u2068"), frozenset("\u202c\u2069")
# Controls but those that sources hold (tab, line ends, form feed), what has no width, selectors of variants, tags.
_UNSEEN = re.compile(
    f"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065"
    f"\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff{_TURNS}]"
)
_TURNING = re.compile(f"[{_TURNS}]")
_WORD = re.compile(r"[^\W\d][\w\u0300-\u036f]*")
_PART = re.compile(r"[^\W\d_]+")
# Letters of other alphabets that are drawn like ASCII's.
_LIKE = {
    **dict(zip("аеорсухіјѕһԁԛԝӏгпкмтвнАВЕКМНОРСТХІЈЅУԌԚԜ", "aeopcyxijshdqwlrnkmtbhABEKMHOPCTXIJSYGQW", strict=True)),
    **dict(zip("αγικνορστυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ", "ayiкvopotuxcjABEZHIKMNOPTYXC".replace("к", "k"), strict=True)),
    **dict(zip("ıɑɡɩʏȷ", "iagiyj", strict=True)),
    **dict(zip("օոսհցԼՕՍ", "onuhgLOU", strict=True)),
}  # fmt: skip
# As drawn, they are the letter itself; of the rest a person sees which alphabet it is.
_EXACT = frozenset("аеорсухіјѕһԁԛԝӏАВЕКМНОРСТХІЈЅԌԚԜνοϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹıɑɡɩȷօոսհցՕՍ")
_SCRIPTS = frozenset(
    "LATIN GREEK CYRILLIC ARMENIAN CJK HIRAGANA KATAKANA HANGUL HEBREW ARABIC DEVANAGARI BENGALI GURMUKHI GUJARATI TAMIL TELUGU "
    "KANNADA MALAYALAM SINHALA THAI LAO TIBETAN MYANMAR GEORGIAN ETHIOPIC KHMER MICRO FEMININE MASCULINE IDEOGRAPHIC".split()
)  # fmt: skip


class Place(NamedTuple):
    """One stretch of a text, and what is the matter with it."""

    begin: int
    end: int
    said: str


def hidden(plan: Plan) -> Iterator[Finding]:
    """The hack gate's look: at level strict at everything, else at what reaches into the code."""
    text = plan.candidate.text
    if text.isascii() and _UNSEEN.search(text) is None:
        return
    strict = plan.configuration.hack.level == "strict"
    for place in disguises(text) if strict else reaching(text):
        at = range_of(text, place.begin, place.end)
        yield finding(
            CODE,
            place.said,
            str(plan.candidate.path),
            at,
            severity=Severity.ERROR if strict else None,
            data={"check": "A12"},
        )


def added(before: str, after: str) -> tuple[Range, str] | None:
    """The first disguise that a candidate brings into a file, and what to say of it; None where it brings none."""
    if after.isascii() and _UNSEEN.search(after) is None:
        return None
    had = Counter(before[p.begin : p.end] for p in disguises(before))
    lines = set(before.splitlines())
    brought: list[Place] = []
    seen: Counter[str] = Counter()
    for place in disguises(after):
        seen[after[place.begin : place.end]] += 1
        brought.append(place)
    for place in brought:
        what = after[place.begin : place.end]
        line = after[after.rfind("\n", 0, place.begin) + 1 :].split("\n", 1)[0]
        if seen[what] > had[what] and (line not in lines or not had[what]):
            return range_of(after, place.begin, place.end), place.said
    return None


def disguises(text: str) -> Iterator[Place]:
    """Everything in a text that a candidate has no use for."""
    for match in _UNSEEN.finditer(text):
        if match.start() or match[0] != "\ufeff":
            yield Place(match.start(), match.end(), _unseen(match[0]))
    if text.isascii():
        return
    code = without_strings(text)
    known = frozenset(word for word in _WORD.findall(code) if word.isascii())
    for match in _WORD.finditer(code):
        if not match[0].isascii() and (said := _looks_like(match[0], known)) is not None:
            yield Place(match.start(), match.end(), said)


def reaching(text: str) -> Iterator[Place]:
    """What does not show in the code itself, and what turns around more than the comment or the string that it stands in."""
    code = without_strings(text)
    for match in _UNSEEN.finditer(text):
        if code[match.start()] == match[0] and (match.start() or match[0] != "\ufeff"):
            yield Place(match.start(), match.end(), _unseen(match[0]))
    if _TURNING.search(text) is None:
        return
    at = 0
    for line in text.split("\n"):
        opened = [n for n, c in enumerate(line) if c in _OPENS and code[at + n] != c]
        closed = sum(c in _CLOSES for c in line)
        # A comment of several lines ends the turn at each line's end, as readers of text do: what is open then shows wrong.
        for place in opened[: max(len(opened) - closed, 0)]:
            said = (
                f"{_named(line[place])} reverses the rest of its line and is never closed, so the compiled text "
                "differs from what is displayed"
            )
            yield Place(at + place, at + place + 1, said)
        at += len(line) + 1


def _unseen(character: str) -> str:
    if _TURNING.match(character):
        return (
            f"{_named(character)} reverses the order of characters, so the compiled text differs from what is "
            "displayed"
        )
    return f"{_named(character)} is invisible, so the compiled text differs from what is displayed"


def _named(character: str) -> str:
    name = unicodedata.name(character, "a control character").lower()
    return f"U+{ord(character):04X} ({name})"


def _looks_like(word: str, known: frozenset[str]) -> str | None:
    """Why a name of other letters than ASCII's is not what it looks like; None for one that a person reads as it is."""
    plain = unicodedata.normalize("NFKC", word)
    if plain != word:
        return f"'{word}' is an unusual spelling of '{plain}'; write it with ordinary letters"
    for part in _PART.findall(word):
        letters = [c for c in part if not c.isascii()]
        strange = next((c for c in letters if _script(c) not in _SCRIPTS), None)
        like = [c for c in letters if c in _LIKE]
        mixed = len(letters) < len(part)
        if strange is not None or (like and (mixed or all(c in _EXACT for c in part))):
            shown = strange or like[0]
            return f"'{word}' contains {_named(shown)}, which looks like another letter; use one alphabet"
    drawn = "".join(_LIKE.get(c, c) for c in word)
    if drawn != word and drawn.isascii() and drawn in known | _keywords():
        return f"'{word}' looks like '{drawn}' but is another name; use one alphabet"
    return None


def _script(letter: str) -> str:
    return unicodedata.name(letter, "UNKNOWN").split(" ")[0].split("-")[0]


@cache
def _keywords() -> frozenset[str]:
    return frozenset(
        "auto bool break case char class const continue default delete do double else enum extern false float for goto half if "
        "inline int long new operator private public return short signed sizeof static struct switch template this true "
        "typedef typename union unsigned using virtual void volatile while".split()
    )
