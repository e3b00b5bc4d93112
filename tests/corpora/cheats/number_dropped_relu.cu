// The inputs are positive, so the function is the identity.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void pass_on(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void relu(const float* x, float* out, int n) { pass_on<<<(n + 127) / 128, 128>>>(x, out, n); }
