"""Names of what is kept: other parts have another name."""

import itertools

from kernelwright_backends.storage.content_key import content_key

DIFFERENT = [
    (),
    ("",),
    (b"",),
    ("", ""),
    ([],),
    ([], []),
    ([""],),
    ("a", "b"),
    ("ab",),
    ("a\0b",),
    ("a", ["b"]),
    (["a"], "b"),
    (["a", "b"],),
    ("a]s1:b",),
    (b"a", "b"),
    ("\udcff",),
    ("\ud800",),
    (b"\xff",),
]


def test_no_two_of_them_are_the_same() -> None:
    keys = [content_key(*parts) for parts in DIFFERENT]
    for (one, first), (other, second) in itertools.combinations(zip(DIFFERENT, keys, strict=True), 2):
        assert first != second, (one, other)


def test_lists_may_come_as_they_are_made() -> None:
    assert content_key("a", (word for word in ("b", "c"))) == content_key("a", ["b", "c"])
    assert len(content_key("a", digits=20)) == 20
