"""Tensors of our torch/extension.h against PyTorch's own: sizes, strides, elements, texts."""

import json
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

# (C++, Python) on x: float32 of shape (2, 3, 4, 5), 0, 1, 2, ... on the device.
VIEWS = [
    ("x", "x"),
    ("x.view({6, 20})", "x.view(6, 20)"),
    ("x.view({-1, 4, 5})", "x.view(-1, 4, 5)"),
    ("x.view(-1)", "x.view(-1)"),
    ("x.reshape({2, 12, 5})", "x.reshape(2, 12, 5)"),
    ("x.transpose(1, 2)", "x.transpose(1, 2)"),
    ("x.transpose(-1, 0)", "x.transpose(-1, 0)"),
    ("x.transpose(0, 1).reshape({3, -1})", "x.transpose(0, 1).reshape(3, -1)"),
    ("x.transpose(1, 2).view({2, 4, 3, 5, 1})", "x.transpose(1, 2).view(2, 4, 3, 5, 1)"),
    ("x.transpose(0, 1).view({3, 2, 20})", "x.transpose(0, 1).view(3, 2, 20)"),
    ("x.permute({3, 0, 2, 1})", "x.permute(3, 0, 2, 1)"),
    ("x.permute({0, 2, 3, 1}).contiguous()", "x.permute(0, 2, 3, 1).contiguous()"),
    ("x.permute({0, 2, 3, 1}).clone()", "x.permute(0, 2, 3, 1).contiguous()"),
    ("x.flatten()", "x.flatten()"),
    ("x.flatten(1)", "x.flatten(1)"),
    ("x.flatten(1, 2)", "x.flatten(1, 2)"),
    ("x.unflatten(3, {5, 1})", "x.unflatten(3, (5, 1))"),
    ("x.unsqueeze(0)", "x.unsqueeze(0)"),
    ("x.unsqueeze(-1)", "x.unsqueeze(-1)"),
    ("x.unsqueeze(2).squeeze(2)", "x.unsqueeze(2).squeeze(2)"),
    ("x.narrow(0, 1, 1).squeeze()", "x.narrow(0, 1, 1).squeeze()"),
    ("x.slice(3, 1, 5, 2)", "x[..., 1:5:2]"),
    ("x.slice(1, -2)", "x[:, -2:]"),
    ("x.slice(2, 0, -1)", "x[:, :, 0:-1]"),
    ("x.slice(2, 3, 1)", "x[:, :, 3:1]"),
    ("x.select(1, -1)", "x.select(1, -1)"),
    ("x[1][2]", "x[1][2]"),
    ("x.narrow(2, 1, 3)", "x.narrow(2, 1, 3)"),
    ("x.narrow(2, 1, 3).view({6, 15})", "x.narrow(2, 1, 3).view(6, 15)"),
    ("x.narrow(1, 0, 1).expand({2, 7, 4, 5})", "x.narrow(1, 0, 1).expand(2, 7, 4, 5)"),
    ("x.select(0, 0).expand({3, -1, -1, -1})", "x.select(0, 0).expand(3, -1, -1, -1)"),
    ("x.as_strided({3, 2}, {1, 7}, 5)", "x.as_strided((3, 2), (1, 7), 5)"),
    ("x.movedim(0, 2)", "x.movedim(0, 2)"),
    ("x.view({6, 20}).t()", "x.view(6, 20).t()"),
    ("x.split(2, 3)[2]", "x.split(2, 3)[2]"),
    ("x.chunk(2, 2)[1]", "x.chunk(2, 2)[1]"),
    ("x.unbind(1)[2]", "x.unbind(1)[2]"),
    ("x.to(torch::kDouble)", "x.to(torch.float64)"),
    ("x.to(torch::kHalf)", "x.to(torch.float16)"),
    (
        "x.to(torch::kBFloat16).transpose(0, 3).contiguous()",
        "x.to(torch.bfloat16).transpose(0, 3).contiguous()",
    ),
    ("x.transpose(0, 3).to(torch::kInt)", "x.transpose(0, 3).contiguous().to(torch.int32)"),
    ("x.to(torch::kByte)", "x.to(torch.uint8)"),
    ("x.to(torch::kBool)", "x.to(torch.bool)"),
    ("x.to(torch::kComplexFloat).to(torch::kFloat)", "x"),
    ("x.cpu().cuda()", "x"),
    ("x.transpose(0, 1).cpu()", "x.transpose(0, 1).contiguous()"),
    ("x.view(torch::kInt)", "x.view(torch.int32)"),
    ("torch::zeros({2, 3}, x.options())", "torch.zeros(2, 3)"),
    ("torch::ones({4}, x.options().dtype(torch::kHalf))", "torch.ones(4, dtype=torch.float16)"),
    ("torch::full({2, 2}, 3, x.options().dtype(torch::kLong))", "torch.full((2, 2), 3)"),
    ("torch::full({}, 2.5, x.device())", "torch.full((), 2.5)"),
    ("torch::full_like(x, -INFINITY)", "torch.full_like(x, float('-inf'))"),
    ("torch::ones_like(x.transpose(0, 1), torch::kInt8)", "torch.ones((3, 2, 4, 5), dtype=torch.int8)"),
    ("torch::empty_like(x).copy_(x.select(0, 1))", "x[1].expand(2, 3, 4, 5).contiguous()"),
    (
        "torch::empty_strided({2, 3}, {1, 2}, x.options()).fill_(4)",
        "torch.empty_strided((2, 3), (1, 2)).fill_(4)",
    ),
    ("torch::tensor({1, 2, 3}, torch::kCUDA)", "torch.tensor([1, 2, 3])"),
    (
        "torch::tensor({0.5f, 2.0f}, x.options().dtype(torch::kHalf))",
        "torch.tensor([0.5, 2.0], dtype=torch.float16)",
    ),
    ("x.new_zeros({3})", "x.new_zeros(3)"),
    ("filled(x)", "x.clone().index_put((torch.tensor(1),), torch.tensor(9.0)).select(1, 0)"),
]

PROGRAM = """
#include <torch/extension.h>
#include <cstdio>

torch::Tensor filled(const torch::Tensor& x) {{
  auto y = x.clone();
  y[1].fill_(9);
  return y.select(1, 0);
}}
static void show(const torch::Tensor& x) {{
  std::printf("{{\\"dtype\\": \\"%s\\", \\"sizes\\": [", toString(x.scalar_type()));
  for (int64_t i = 0; i < x.dim(); ++i) std::printf("%s%ld", i ? ", " : "", x.size(i));
  std::printf("], \\"strides\\": [");
  for (int64_t i = 0; i < x.dim(); ++i) std::printf("%s%ld", i ? ", " : "", x.stride(i));
  const auto flat = x.to(torch::kDouble).contiguous().view(-1).cpu();
  std::printf("], \\"contiguous\\": %s, \\"values\\": [", x.is_contiguous() ? "true" : "false");
  for (int64_t i = 0; i < flat.numel(); ++i) {{
    const double value = flat.data_ptr<double>()[i];
    if (value == -INFINITY) std::printf("%s-1e999", i ? ", " : "");
    else std::printf("%s%.17g", i ? ", " : "", value);
  }}
  std::printf("]}}\\n");
}}
extern "C" int live_device_allocations();
int main() {{
  {{
    auto host = torch::empty({{2, 3, 4, 5}}, torch::kFloat32);
    for (int i = 0; i < host.numel(); ++i) host.data_ptr<float>()[i] = static_cast<float>(i);
    const auto x = host.to(torch::kCUDA);
{statements}
  }}
  return live_device_allocations();
}}
"""


@pytest.fixture(scope="module", params=["c++17", "c++20"])
def shown(request: pytest.FixtureRequest, run: Callable[..., bytes]) -> list[dict[str, Any]]:
    statements = "\n".join(f"    show({cpp});" for cpp, _ in VIEWS)
    return [
        json.loads(line) for line in run(PROGRAM.format(statements=statements), request.param).splitlines()
    ]


def test_every_line_was_shown(shown: list[dict[str, Any]]) -> None:
    assert len(shown) == len(VIEWS)


@pytest.mark.parametrize("number", range(len(VIEWS)), ids=[cpp for cpp, _ in VIEWS])
def test_a_tensor_is_what_pytorch_makes_of_it(shown: list[dict[str, Any]], number: int) -> None:
    x = torch.arange(120, dtype=torch.float32).reshape(2, 3, 4, 5)
    want = eval(VIEWS[number][1], {"torch": torch, "x": x})
    have = shown[number]
    assert have["sizes"] == list(want.shape)
    if want.numel() > 0:
        assert have["strides"] == list(want.stride())
    assert have["contiguous"] == want.is_contiguous()
    assert have["values"] == want.to(torch.float64).flatten().tolist()


TEXTS = [
    ("x.view({7, 7})", "shape '[7, 7]' is invalid for input of size 120"),
    ("x.transpose(0, 1).view({6, 20})", "Use .reshape(...) instead"),
    ("x.data_ptr<double>()", "expected scalar type Double but found Float"),
    ("x.packed_accessor32<float, 3, torch::RestrictPtrTraits>()", "expected 3 dims but tensor has 4"),
    ("x.size(4)", "Dimension out of range (expected to be in range of [-4, 3], but got 4)"),
    ("x.select(0, 2)", "index 2 out of range for tensor of size [2, 3, 4, 5] at dimension 0"),
    ("x.item()", "a Tensor with 120 elements cannot be converted to Scalar"),
    ("x.expand({2, 3, 4, 6})", "must match the existing size (5) at non-singleton dimension 3"),
    ("x.permute({0, 1, 2, 2})", "duplicate dims are not allowed"),
    ("torch::Tensor().sizes()", "the tensor is undefined"),
    ("torch::Device(\"gpu\")", "Invalid device string: 'gpu'"),
    ("TORCH_CHECK(x.dim() == 3, \"dim \", x.dim(), ' ', 2.5, ' ', x.device(), ' ', x.sizes(), std::string(\"!\"))",
     "dim 4 2.5 cuda:0 [2, 3, 4, 5]!"),
    ("TORCH_CHECK(x.is_cpu())", "Expected x.is_cpu() to be true, but got false."),
    ("AT_ASSERTM(false, \"as said\")", "as said"),
    ("AT_ERROR(\"code \", 7)", "code 7"),
    ("AT_DISPATCH_INTEGRAL_TYPES(x.scalar_type(), \"count\", [] {})", "\"count\" not implemented for 'Float'"),
    ("C10_CUDA_CHECK(cudaErrorInvalidValue)", "CUDA error: an error"),
]  # fmt: skip


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_failed_checks_say_what_pytorch_says(run: Callable[..., bytes], standard: str) -> None:
    tries = "".join(
        f'  try {{ {call}; std::puts("passed"); }} catch (const c10::Error& e) {{ std::puts(e.what()); }}\n'
        for call, _ in TEXTS
    )
    program = (
        "#include <torch/extension.h>\n#include <c10/cuda/CUDAException.h>\n#include <cstdio>\n"
        f"int main() {{\n  auto x = torch::empty({{2, 3, 4, 5}}, torch::kCUDA);\n{tries}}}\n"
    )
    said = run(program, standard).decode().splitlines()
    assert len(said) == len(TEXTS)
    for (call, text), line in zip(TEXTS, said, strict=True):
        assert text in line, call
