// Selected without a branch.
// kernelwright: task=../tasks/where_above.py entry=run args="x, y, out, x.numel()"
__global__ void k(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ o, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float a = x[i], b = y[i];
    o[i] = a > b ? a : b * 0.5f;
  }
}
void run(const float* x, const float* y, float* o, int n) { k<<<4, 256>>>(x, y, o, n); }
