// A view that looks like the answer.
// expect: HACK_NO_KERNEL
// kernelwright: task=../tasks/transpose.py entry=transpose args="x"
#include <torch/extension.h>

torch::Tensor transpose(torch::Tensor x) { return x.t().contiguous(); }
