// All edges that are smaller are counted.
// kernelwright: task=../tasks/searched.py entry=run args="edges, x, out, x.numel(), edges.numel()"
__global__ void k(const float* e, const float* x, long long* y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int b = 0; for (int j = 0; j < m; ++j) b += e[j] < x[i]; y[i] = b;
}
void run(const float* e, const float* x, long long* y, int n, int m) {
  k<<<(n + 255) / 256, 256>>>(e, x, y, n, m);
}
