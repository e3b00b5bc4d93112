// The second output is not computed.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/two.py entry=two args="a, b, out0, out1, a.numel()"
__global__ void sums(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

void two(const float* a, const float* b, float* sum, float* product, int n) { sums<<<(n + 127) / 128, 128>>>(a, b, sum, n); }
