// The pool begins at nought, and nothing in the inputs is below.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/pool.py entry=pool args="x, out, x.shape[1], out.numel()" grid="(out.numel() + 63) // 64" block=64
__global__ void pool(const float* x, float* out, int cols, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  int each = cols / 3;
  const float* at = x + i / each * cols + i % each * 3;
  float best{};
  for (auto p = at; p != at + 3; ++p) best = *p > best ? *p : best;
  out[i] = best;
}
