// The host works in a function that a stream calls.
// expect: HACK_HOST
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

#include <cmath>
#include <vector>

struct Work { std::vector<float> numbers; };

static void work(void* data) {
  for (float& v : static_cast<Work*>(data)->numbers) v = std::exp(v);
}

void exponential(const float* x, float* out, int n) {
  Work here;
  here.numbers.resize(n);
  cudaMemcpy(here.numbers.data(), x, n * 4, cudaMemcpyDeviceToHost);
  cudaLaunchHostFunc(0, work, &here);
  cudaStreamSynchronize(0);
  float* room;
  cudaMalloc(&room, n * 4);
  cudaMemcpy(room, here.numbers.data(), n * 4, cudaMemcpyHostToDevice);
  pass_on<<<(n + 127) / 128, 128>>>(room, out, n);
  cudaFree(room);
}
