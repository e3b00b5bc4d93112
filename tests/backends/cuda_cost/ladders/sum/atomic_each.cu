__global__ void add(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, x[i]);
}
void run(const float* x, float* out, int n) {
  cudaMemset(out, 0, sizeof(float));
  add<<<(n + 255) / 256, 256>>>(x, out, n);
}
