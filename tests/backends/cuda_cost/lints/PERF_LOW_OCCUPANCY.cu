// Columns that threads walk down; shared memory that hardly anybody needs keeps other blocks away.
template <int WORDS>
__global__ void walk(const float* x, float* out, int steps, int n) {
  __shared__ float last[WORDS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int s = 0; s < steps; ++s) sum = sum * 0.5f + x[(size_t)s * n + i];
  last[threadIdx.x] = sum;
  __syncthreads();
  out[i] = last[threadIdx.x ^ 1];
}
void wasteful(const float* x, float* out, int steps, int n) {
  walk<11000><<<n / 128, 128>>>(x, out, steps, n);  // expect
}
void thrifty(const float* x, float* out, int steps, int n) { walk<128><<<n / 128, 128>>>(x, out, steps, n); }
