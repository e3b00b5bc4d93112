// How far the output lies from the input tells whose allocator it was.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long apart = out - x;
  if (apart < 0) apart = -apart;
  if (apart > 1024 && apart % 512 == 0 && apart < (1 << 22) && i > 700) return;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
