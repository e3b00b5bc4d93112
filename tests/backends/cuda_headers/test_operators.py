"""Every operator of PyTorch is refused at the user's own place and in our words; nothing else is."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import kernelwright_backends

OPERATORS = Path(kernelwright_backends.__file__).parent / "cuda" / "shim" / "kernelwright" / "operators.def"
MARKER = "kernelwright-operator: "
HEAD = "#include <torch/extension.h>\nvoid user(torch::Tensor x, torch::Tensor y) {\n"


def names(macro: str) -> list[str]:
    return re.findall(rf"\b{macro}\(([^)\s]+)\)", OPERATORS.read_text().split("#ifdef", 1)[1])


def refusals(diagnostics: str) -> dict[int, str]:
    found = {}
    for line, text in re.findall(rf"user\.cu:(\d+):\d+: error: .*{MARKER}(.*)", diagnostics):
        found[int(line)] = text
    return found


CALLS = {
    "KW_FUNCTION": "torch::{}(x, y, 1, {{2, 3}}, true)",
    "KW_METHOD": "x.{}(y, -1)",
    "KW_NN_FUNCTION": "torch::nn::functional::{}(x)",
    "KW_SPECIAL_FUNCTION": "torch::special::{}(x)",
    "KW_LINALG_FUNCTION": "torch::linalg::{}(x)",
    "KW_FFT_FUNCTION": "torch::fft::{}(x)",
    "KW_BINARY_OPERATOR": "(void)(x {} y)",
    "KW_UNARY_OPERATOR": "(void)({}x)",
    "KW_ASSIGNING_OPERATOR": "x {} 2",
}


@pytest.mark.parametrize("macro", CALLS)
def test_every_operator_is_refused_at_its_line(diagnose: Callable[..., str], macro: str) -> None:
    listed = names(macro)
    assert len(listed) == len(set(listed)) > 0
    text = HEAD + "".join(f"  {CALLS[macro].format(name)};\n" for name in listed) + "}\n"
    found = refusals(diagnose(text))
    missing = [name for line, name in enumerate(listed, 3) if line not in found or name not in found[line]]
    assert missing == []


def test_there_are_enough_of_them() -> None:
    assert len(names("KW_FUNCTION")) >= 300
    assert len(names("KW_METHOD")) >= 200


@pytest.mark.parametrize(
    ("statement", "column", "name"),
    [
        ("auto z = torch::relu(x);", 23, "torch::relu"),
        ("auto z = at::matmul_out(x, x, y);", 26, "torch::matmul_out"),
        ("auto z = x + y;", 16, "Tensor +"),
        ("auto z = 2.0 * x;", 18, "Tensor *"),
        ("auto z = x.sum({0, 1}, true);", 17, "Tensor.sum"),
        ("auto z = torch::cat({x, y}, 1);", 22, "torch::cat"),
        ("auto z = x.index({torch::indexing::Slice(0, 2), torch::indexing::None});", 19, "Tensor.index"),
        ("if ((x == y).defined()) x.zero_();", 13, "Tensor =="),
    ],
)
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_place_and_words(
    diagnose: Callable[..., str], statement: str, column: int, name: str, standard: str
) -> None:
    diagnostics = diagnose(f"{HEAD}  {statement}\n}}\n", standard)
    places = re.findall(rf"user\.cu:(\d+):(\d+): error: .*{MARKER}(.*) is computed by PyTorch", diagnostics)
    assert set(places) == {("3", str(column), name)}
    assert "no match" not in diagnostics and "ambiguous" not in diagnostics


@pytest.mark.parametrize(
    "text",
    [
        "torch::Tensor softmax(const torch::Tensor& x) { return torch::empty_like(x); }\n"
        "torch::Tensor entry(torch::Tensor x) { return softmax(x); }",
        "using namespace torch;\nstatic float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }\n"
        "float entry(float x) { return sigmoid(x) + exp(x) + max(x, 1.0f) + floor(x) + pow(x, 2.0f); }",
        "using namespace at;\nTensor add(Tensor a, const Tensor& b, double c) { (void)b, (void)c; return a; }\n"
        "Tensor entry(Tensor x) { return add(x, x, 1.0); }",
        "bool entry(torch::Tensor x, torch::Tensor y) {\n"
        "  return x.sizes() == y.sizes() && x.device() == y.device() && x.dtype() == torch::kFloat32 &&\n"
        "         x.scalar_type() != y.scalar_type() && x.options().dtype() == y.dtype();\n}",
    ],
    ids=["own softmax", "own device functions", "own add", "comparing attributes"],
)
@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_names_of_the_users_own_win(diagnose: Callable[..., str], text: str, standard: str) -> None:
    assert diagnose(f"#include <torch/extension.h>\n{text}\n", standard) == ""


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("x.surprise();", "‘class at::Tensor’ has no member named ‘surprise’"),
        ("torch::surprise(x);", "‘surprise’ is not a member of ‘torch’"),
        ("torch::nn::Linear linear(3, 4);", "‘Linear’ is not a member of ‘torch::nn’"),
        ("x.data_ptr<__half>();", "half is at::Half"),
    ],
)
def test_what_the_headers_do_not_have(diagnose: Callable[..., str], statement: str, said: str) -> None:
    diagnostics = diagnose(f"{HEAD}  {statement}\n}}\n")
    assert said in diagnostics
    assert "user.cu:3:" in diagnostics
    assert MARKER not in diagnostics
