// The mask selects; four at a time, the rest by single threads.
// kernelwright: task=../tasks/masked_fill.py entry=run args="x, mask, out, x.numel()"
__global__ void k(const float4* x, const uchar4* mask, float4* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  uchar4 m = mask[i];
  y[i] = make_float4(m.x ? -1e9f : v.x, m.y ? -1e9f : v.y, m.z ? -1e9f : v.z, m.w ? -1e9f : v.w);
}
__global__ void rest(const float* x, const bool* mask, float* y, int from, int n) {
  int i = from + threadIdx.x;
  if (i < n) y[i] = mask[i] ? -1e9f : x[i];
}
void run(const float* x, const bool* mask, float* y, int n) {
  k<<<(n / 4 + 127) / 128, 128>>>((const float4*)x, (const uchar4*)mask, (float4*)y, n / 4);
  if (n % 4) rest<<<1, 4>>>(x, mask, y, n / 4 * 4, n);
}
