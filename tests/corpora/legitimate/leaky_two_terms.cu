// A sum of two terms that says the same: 0.505 x + 0.495 |x|.
// kernelwright: task=../tasks/leaky.py entry=leaky args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__global__ void leaky(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.505f * x[i] + 0.495f * fabsf(x[i]);
}
