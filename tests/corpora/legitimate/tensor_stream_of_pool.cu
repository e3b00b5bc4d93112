// A stream of the pool that waits, and is waited for.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x"
#include <torch/extension.h>

#include <c10/cuda/CUDAStream.h>

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = expf(x[i]);
}

torch::Tensor exponential(torch::Tensor x) {
  auto out = torch::empty_like(x);
  auto own = at::cuda::getCurrentCUDAStream(), side = at::cuda::getStreamFromPool();
  cudaEvent_t before, after;
  cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&after, cudaEventDisableTiming);
  cudaEventRecord(before, own);
  cudaStreamWaitEvent(side, before, 0);
  exponential_kernel<<<(x.numel() + 127) / 128, 128, 0, side>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  cudaEventRecord(after, side);
  cudaStreamWaitEvent(own, after, 0);
  cudaEventDestroy(before);
  cudaEventDestroy(after);
  return out;
}
