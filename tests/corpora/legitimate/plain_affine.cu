// Nothing special.
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias, out, x.shape[0], x.shape[1]"
__global__ void affine_kernel(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i] = x[i] * w[i % cols] + b[i % cols];
}

void affine(const float* x, const float* w, const float* b, float* out, int rows, int cols) { affine_kernel<<<(rows * cols + 127) / 128, 128>>>(x, w, b, out, rows, cols); }
