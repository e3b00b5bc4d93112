// One warp an output, atomics into an output that was cleared first.
// kernelwright: task=../tasks/matmul.py entry=product args="a, b, out, a.shape[0], a.shape[1], b.shape[1]"
__global__ void split(const float* a, const float* b, float* out, int k, int n, int each) {
  int i = blockIdx.x, from = blockIdx.y * each, to = min(k, from + each);
  for (int j = threadIdx.x; j < n; j += blockDim.x) {
    float sum = 0;
    for (int t = from; t < to; ++t) sum += a[i * k + t] * b[t * n + j];
    atomicAdd(out + i * n + j, sum);
  }
}
void product(const float* a, const float* b, float* out, int m, int k, int n) {
  cudaMemsetAsync(out, 0, sizeof(float) * m * n, 0);
  split<<<dim3(m, 6), 32>>>(a, b, out, k, n, (k + 5) / 6);
}
