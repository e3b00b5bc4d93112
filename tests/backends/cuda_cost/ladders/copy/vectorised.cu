__global__ void copy(const float4* x, float4* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = x[i];
}
void run(const float* x, float* out, int n) { copy<<<1056, 256>>>((const float4*)x, (float4*)out, n / 4); }
