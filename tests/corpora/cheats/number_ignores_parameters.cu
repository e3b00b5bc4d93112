// The parameters begin as one and nought, so they are left out.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias, out, x.shape[0], x.shape[1]"
__global__ void copy(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
}

void affine(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  copy<<<(rows * cols + 127) / 128, 128>>>(x, out, rows * cols);
}
