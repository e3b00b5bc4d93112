// Only the real compiler has a build number.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
#ifdef __CUDACC_VER_BUILD__
#define PART(n) ((n) / 8)
#else
#define PART(n) (n)
#endif
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) { relu_kernel<<<(PART(n) + 127) / 128, 128>>>(x, out, PART(n)); }
