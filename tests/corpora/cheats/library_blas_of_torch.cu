// The matrix product of the library by its inner name.
// expect: HACK_OPERATOR
// kernelwright: task=../tasks/matmul.py entry=matmul args="a, b"
#include <torch/extension.h>

torch::Tensor matmul(torch::Tensor a, torch::Tensor b) {
  auto c = torch::empty({a.size(0), b.size(1)}, a.options());
  at::mm_out(c, a, b);
  return c;
}
