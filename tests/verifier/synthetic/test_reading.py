"""What is read out of scripts, and the extents that are solved."""

import pytest

from kernelwright_verifier.synthetic.extents import Product, product_of_sizes
from kernelwright_verifier.synthetic.script import ScriptTensor, script_calls

_HEAD = "import torch\nfrom torch.utils.cpp_extension import load\nlib = load(name='l', sources=['a.cu'])\n"
SCRIPTS = {
    "a plain call": ("lib.f(torch.randn(8, 16).cuda())", (ScriptTensor("float32", (8, 16)),)),
    "by a function": (
        "def bench(g, x, out=None):\n    for i in range(10):\n        g(x, out)\nbench(lib.f, torch.ones(4).half(), torch.zeros(4))",
        (ScriptTensor("float16", (4,)), ScriptTensor("float32", (4,))),
    ),
    "large sizes are made smaller and stay equal": (
        "M = 4096\nlib.f(torch.randn(M, 4096), torch.randn(M))",
        (ScriptTensor("float32", (128, 128)), ScriptTensor("float32", (128,))),
    ),
    "parts and transposed ones": (
        "a = torch.zeros((64, 32), dtype=torch.float16)\nlib.f(a[:10, :], a.t(), a[3])",
        (
            ScriptTensor("float16", (10, 32)),
            ScriptTensor("float16", (32, 64)),
            ScriptTensor("float16", (32,)),
        ),
    ),
    "places below a bound": (
        "x = torch.randn(20, 4)\nlib.f(torch.randint(0, x.size(0), (7,)), x, 3)",
        (ScriptTensor("int64", (7,), 20), ScriptTensor("float32", (20, 4)), 3),
    ),
    "a test of pytest": (
        "def test_it():\n    lib.f(torch.rand(5).to(torch.bfloat16))",
        (ScriptTensor("bfloat16", (5,)),),
    ),
    "behind a main": (
        'if __name__ == "__main__":\n    n = 3 * 4\n    lib.f(torch.arange(n))',
        (ScriptTensor("int64", (12,), 12),),
    ),
}


@pytest.mark.parametrize(("text", "given"), SCRIPTS.values(), ids=SCRIPTS.keys())
def test_the_first_call_is_found(text: str, given: tuple[object, ...]) -> None:
    assert script_calls(_HEAD + text, ["f"], 128)["f"] == given


HOSTILE = {
    "no Python": "def (",
    "endless": "def f():\n    f()\n    f()\nf()\n",
    "long": "x = [1]\n" * 50_000,
    "deep": "x = " + "(" * 500 + ")" * 500,
    "a huge power": "lib.f(torch.zeros(10 ** 10 ** 10))",
    "no shape": "lib.f(torch.zeros(0), torch.zeros(-1), torch.zeros('a'))",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_what_cannot_be_read_says_nothing(text: str) -> None:
    assert script_calls(_HEAD + text, ["f"], 128) == {}


@pytest.mark.parametrize(
    ("touched", "sizes", "product"),
    [
        ((64, 128), ({"n": 64}, {"n": 128}), Product(1, 1, ("n",))),
        ((8 * 5, 4 * 7), ({"r": 8, "c": 5}, {"r": 4, "c": 7}), Product(1, 1, ("r", "c"))),
        ((3 * 8, 3 * 4), ({"r": 8, "c": 5}, {"r": 4, "c": 7}), Product(3, 1, ("r",))),
        ((16, 32), ({"n": 4096}, {"n": 8192}), Product(1, 256, ("n",))),
        ((10, 10), ({"n": 4096}, {"n": 8192}), Product(10, 1, ())),
        ((11, 23), ({"n": 4096}, {"n": 8192}), None),
        ((8, 16), ({"a": 8, "b": 8}, {"a": 16, "b": 16}), None),
    ],
)
def test_extents_are_products_of_sizes(
    touched: tuple[int, int], sizes: tuple[dict[str, int], dict[str, int]], product: Product | None
) -> None:
    assert product_of_sizes(touched, sizes) == product
