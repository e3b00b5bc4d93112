"""An index that followed edits is the index of the text that came out of them."""

import random
from pathlib import Path

import pytest

from kernelwright_backends.ascendc import syntax as ascendc
from kernelwright_backends.cuda import syntax as cuda

SNIPPETS = Path(__file__).parent / "snippets"
WHOLE = [
    "declarations.cu",
    "entries_of_torch.cu",
    "unicode.cu",
    "windows_lines.cu",
    "old_mac_lines.cu",
    "operator.asc",
]
# What leaves a text that the grammar can read, wherever a line begins.
INSERTED = [
    "__global__ void typed(const float* x) { x[0]; }\n",
    "// kernelwright: entry=typed\n",
    "void call(float* x) { typed<<<1, 2>>>(x); }\r\n",
    "#define SOME_QUALIFIER __device__ static\n",
    "// größe 😀\n",
    "\n",
    "\f\n",
    "typedef half element;\n",
]


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("seed", range(3))
def test_edits_between_definitions(name: str, seed: int) -> None:
    """Lines come and go between the definitions of a file that has no mistakes."""
    chance = random.Random(seed)
    module = ascendc if name.endswith(".asc") else cuda
    indexer = ascendc.AscendcIndexer() if name.endswith(".asc") else cuda.CudaIndexer()
    text = (SNIPPETS / name).read_bytes()
    indexer.replace(text)
    inserted: list[bytes] = []
    for _ in range(12):
        if inserted and chance.random() < 0.4:
            piece = inserted.pop(chance.randrange(len(inserted)))
            start = text.index(piece)
            new = text[:start] + text[start + len(piece) :]
            indexer.edit(start, start + len(piece), start, new)
        else:
            piece = chance.choice(INSERTED).encode()
            index = module.index(text)
            places = [
                0,
                *(
                    f.end_byte
                    for f in (*index.kernels, *index.functions)
                    if text[f.end_byte : f.end_byte + 1] == b"\n"
                ),
            ]
            start = chance.choice(places)
            piece = b"\n" + piece if start else piece
            new = text[:start] + piece + text[start:]
            inserted.append(piece)
            indexer.edit(start, start, start + len(piece), new)
        text = new
        whole = module.index(text)
        if not whole.syntax_errors:
            assert indexer.index == whole
        assert {k.name for k in indexer.index.kernels} == {k.name for k in whole.kernels}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("seed", range(3))
def test_edits_within_lines(name: str, seed: int) -> None:
    """Words come and go anywhere, in bodies mostly."""
    chance = random.Random(seed)
    module = ascendc if name.endswith(".asc") else cuda
    indexer = ascendc.AscendcIndexer() if name.endswith(".asc") else cuda.CudaIndexer()
    text = original = (SNIPPETS / name).read_bytes()
    indexer.replace(text)
    followed = 0
    for _ in range(60):
        if chance.random() < 0.3:
            text = original
        index = module.index(text)
        function = chance.choice((*index.kernels, *index.functions))
        start = chance.randrange(function.start_byte, function.end_byte)
        piece = chance.choice(
            [b" ", b"", b"call(); ", b"/* x */", b"k<<<1, 1>>>();", b"#", b"1", b"}", b"\n", "ö".encode()]
        )
        new = text[:start] + piece + text[start + chance.choice([0, 0, 0, 1]) :]
        indexer.edit(0, len(text), len(new), new)
        whole = module.index(new)
        if not whole.syntax_errors:
            followed += 1
            assert indexer.index == whole
            assert all(indexer.index.find(k.qualified_name) in whole.kernels for k in whole.kernels)
            text = new
        else:
            assert indexer.index.dialect == whole.dialect
            text = original
            indexer.edit(0, len(new), len(text), text)
        assert indexer.index.dialect == whole.dialect  # asked for after every edit, as an editor does
    assert followed > 5


@pytest.mark.parametrize("name", ["declarations.cu", "launches.cu", "entries_of_torch.cu"])
def test_typing_a_body_letter_by_letter(name: str) -> None:
    """While a kernel is typed at the end of a file, all kernels before it stay known, and at the end it is known too."""
    text = (SNIPPETS / name).read_bytes()
    before = {k.qualified_name for k in cuda.index(text).kernels}
    indexer = cuda.CudaIndexer(text)
    typed = b'\n__global__ void typed(const float* x, int n) {\n  if (n > 0) { x[threadIdx.x] = f("a", n)[1]; }\n}\n'
    for letter in typed:
        new = text + bytes([letter])
        indexer.edit(len(text), len(text), len(new), new)
        text = new
        assert before <= {k.qualified_name for k in indexer.index.kernels}, text[-60:]
    assert indexer.index == cuda.index(text)
    assert "typed" in {k.name for k in indexer.index.kernels}


@pytest.mark.parametrize(
    "damage", ["{", "(", "x[", 'f("', "k<<<1, ", "if (", "for (int i = 0;", "/*", "#if 1\n", "a.b->", "::"]
)
def test_damage_in_one_kernel_leaves_the_others(damage: str) -> None:
    """Something unfinished in one body: kernels before it and after it stay known, unless a comment swallows them."""
    kernels = [f"__global__ void k{n}(float* x, int n) {{\n  x[{n}] = n;\n}}\n" for n in range(5)]
    kernels[2] = f"__global__ void k2(float* x, int n) {{\n  {damage}\n}}\n"
    text = "".join(kernels) + "void launch(float* x) { k0<<<1, 2>>>(x, 1); k4<<<1, 2>>>(x, 1); }\n"
    index = cuda.index(text.encode())
    expected = {"k0", "k1", "k2"} if damage == "/*" else {"k0", "k1", "k2", "k3", "k4"}
    assert expected <= {k.name for k in index.kernels}
    if damage not in ("/*", "for (int i = 0;"):  # after the latter the parser sees no call either
        assert [e.name for e in index.entries] == ["launch"]


def test_bytes_that_are_no_text_are_indexed_all_the_same() -> None:
    index = cuda.index(b"// \xff\xfe\n__global__ void k(float* x) { x[0] = '\xff'; }\n")
    assert [k.name for k in index.kernels] == ["k"]


def test_mistakes_come_in_the_order_of_the_text() -> None:
    """The parser finds some at one place; whichever node lies first in memory must not decide."""
    text = b'/**\n * of many words, "quoted" and not closed: a - b (c) . . .\n * @file x.cu\n * ------------'
    places = [(e.line, e.column, -e.end_line, -e.end_column) for e in cuda.index(text).syntax_errors]
    assert places == sorted(places) and len({p[:2] for p in places}) < len(places)
