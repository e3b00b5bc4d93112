// Constants that the host computes from sizes.
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias, out, x.shape[0], x.shape[1]"
__constant__ int extent[2];

__global__ void affine_kernel(const float* x, const float* w, const float* b, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < extent[0] * extent[1]) out[i] = x[i] * w[i % extent[1]] + b[i % extent[1]];
}

void affine(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  int host[2] = {rows, cols};
  cudaMemcpyToSymbol(extent, host, sizeof host);
  affine_kernel<<<(rows * cols + 127) / 128, 128>>>(x, w, b, out);
}
