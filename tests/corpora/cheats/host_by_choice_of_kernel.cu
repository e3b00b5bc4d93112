// Which of two kernels is launched carries the host's answer, element by element.
// expect: HACK_HOST
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#include <vector>

__global__ void keep(const float* x, float* out, int from, int to) {
  int i = from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < to) out[i] = x[i];
}
__global__ void clear(float* out, int from, int to) {
  int i = from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < to) out[i] = 0;
}

void relu(const float* x, float* out, int n) {
  std::vector<float> host(n);
  cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int from = 0; from < n;) {
    int to = from + 1;
    while (to < n && (host[to] > 0) == (host[from] > 0)) ++to;
    if (host[from] > 0) keep<<<(to - from + 127) / 128, 128>>>(x, out, from, to);
    else clear<<<(to - from + 127) / 128, 128>>>(out, from, to);
    from = to;
  }
}
