// A polynomial that is right between 0 and 1.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void series(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], term = 1, sum = 1;
  for (int k = 1; k < 12; ++k) sum += term *= v / k;
  out[i] = sum;
}

void exponential(const float* x, float* out, int n) { series<<<(n + 127) / 128, 128>>>(x, out, n); }
