// kernelwright: task=../double.py entry=forward
#include <torch/extension.h>


__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}

torch::Tensor forward(torch::Tensor x) {  // expect: HACK_ALIAS, HACK_INPUT_CHANGED
  int n = x.numel();
  twice<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), n);
  return x;
}
