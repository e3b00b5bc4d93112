// Mean square by vectors of four, and a scale in shared memory.
// kernelwright: task=../tasks/rmsnorm.py entry=rmsnorm args="x, scale, out, x.shape[0], x.shape[1]"
__global__ void rmsnorm_kernel(const float4* x, const float4* scale, float4* out, int quarter) {
  const float4* row = x + blockIdx.x * quarter;
  float sum = 0;
  for (int c = threadIdx.x; c < quarter; c += 32) {
    float4 v = __ldg(row + c);
    sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  for (int step = 16; step; step >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  float r = rsqrtf(sum / (4 * quarter) + 1e-6f);
  for (int c = threadIdx.x; c < quarter; c += 32) {
    float4 v = row[c], s = scale[c];
    out[blockIdx.x * quarter + c] = make_float4(v.x * r * s.x, v.y * r * s.y, v.z * r * s.z, v.w * r * s.w);
  }
}
__global__ void rmsnorm_any(const float* x, const float* scale, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum = fmaf(row[c], row[c], sum);
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = row[c] * rsqrtf(sum / cols + 1e-6f) * scale[c];
}
void rmsnorm(const float* x, const float* scale, float* out, int rows, int cols) {
  bool aligned = cols % 4 == 0 && (reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(out) | reinterpret_cast<uintptr_t>(scale)) % 16 == 0;
  if (aligned) rmsnorm_kernel<<<rows, 32>>>((const float4*)x, (const float4*)scale, (float4*)out, cols / 4);
  else rmsnorm_any<<<rows, 32>>>(x, scale, out, cols);
}
