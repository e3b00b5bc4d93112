// Asks by an atomic what lay in the output.
// expect: INIT_UNINITIALISED_READ
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__global__ void relu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float before = atomicExch(&out[i], 0.0f);
  if (before >= 0) out[i] = before;
  else out[i] = x[i] > 0 ? x[i] : 0;
}
