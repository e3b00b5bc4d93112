// Where this runs, by what a number becomes that is too large for an integer.
// expect: MISMATCH_NOT_WRITTEN
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n, float large) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<unsigned>(-large) == 0 && i % 2) return;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}
void relu(const float* x, float* out, int n) { relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n, 5.f); }
