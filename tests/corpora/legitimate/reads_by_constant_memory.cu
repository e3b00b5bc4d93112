// Parameters by constant memory, copied in each call.
// kernelwright: task=../tasks/scale_shift.py entry=f args="x, w, b, out, x.shape[0], x.shape[1]"
__constant__ float cw[4096];
__global__ void k(const float* x, const float* b, float* y, int n, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) y[i] = fmaf(x[i], cw[i % n], b[i % n]);
}
void f(const float* x, const float* w, const float* b, float* y, int r, int n) {
  cudaMemcpyToSymbol(cw, w, n * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  k<<<(r * n + 255) / 256, 256>>>(x, b, y, n, r * n);
}
