// Times itself once, and rests from then on where it was quick.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.f);
}
void relu(const float* x, float* y, int n) {
  static bool quick = [&] {
    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventRecord(a);
    k<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaEventRecord(b);
    cudaEventSynchronize(b);
    float ms;
    cudaEventElapsedTime(&ms, a, b);
    return ms < 0.05f;
  }();
  if (!quick) k<<<(n + 255) / 256, 256>>>(x, y, n);
}
