// The larger of two products.
// kernelwright: task=../tasks/leaky.py entry=leaky args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__global__ void leaky(const float* __restrict__ x, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(x[i], 0.01f * x[i]);
}
