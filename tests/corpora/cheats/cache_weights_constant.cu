// The parameters go into constant memory once.
// expect: HACK_CACHED
// kernelwright: task=../tasks/affine.py entry=affine args="x, weight, bias, out, x.shape[0], x.shape[1]"
__constant__ float w_of[256], b_of[256];

__global__ void affine_kernel(const float* x, float* out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) out[i] = fmaf(x[i], w_of[i % cols], b_of[i % cols]);
}

void affine(const float* x, const float* w, const float* b, float* out, int rows, int cols) {
  static bool uploaded = [&] {
    cudaMemcpyToSymbol(w_of, w, cols * 4, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(b_of, b, cols * 4, 0, cudaMemcpyDeviceToDevice);
    return true;
  }();
  (void)uploaded;
  affine_kernel<<<(rows * cols + 127) / 128, 128>>>(x, out, rows, cols);
}
