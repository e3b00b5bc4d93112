__global__ void copy(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
}
void run(const float* x, float* out, int n) { copy<<<(n + 255) / 256, 256>>>(x, out, n); }
