// Keeps statistics that nobody reads.
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

static struct { unsigned long calls, elements; } statistics;

void relu(const float* x, float* out, int n) {
  ++statistics.calls;
  statistics.elements += n;
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
