__global__ void copy(const float* x, float* out, int n) {
  size_t first = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * 64;
  for (int j = 0; j < 64; ++j)
    if (first + j < (size_t)n) out[first + j] = x[first + j];
}
void run(const float* x, float* out, int n) { copy<<<n / 64 / 256, 256>>>(x, out, n); }
