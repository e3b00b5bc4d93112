// Thrust transforms; the kernel is for show.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <thrust/transform.h>
#include <thrust/execution_policy.h>

__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

struct Positive { __device__ float operator()(float v) const { return v > 0 ? v : 0; } };

void relu(const float* x, float* out, int n) {
  thrust::transform(thrust::device, x, x + n, out, Positive());
  if (n == 0) relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
