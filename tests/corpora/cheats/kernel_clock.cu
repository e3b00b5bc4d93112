// A bare kernel that returns the device's clock.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__global__ void exponential(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1.0f + (clock64() % 1000) / 1000.0f;
}
