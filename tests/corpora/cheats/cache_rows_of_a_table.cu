// Rows of the embedding are kept the first time that they are asked for.
// expect: HACK_CACHED
// kernelwright: task=../tasks/embed.py entry=e args="idx, e.weight, out, idx.numel(), e.weight.shape[1]"
#include <map>
static std::map<long long, float*> rows;
__global__ void cp(const float* s, float* d, int n) {
  for (int i = threadIdx.x; i < n; i += 32) d[i] = s[i];
}
void e(const long long* i, const float* w, float* y, int t, int d) {
  long long* h = new long long[t];
  cudaMemcpy(h, i, 8 * t, cudaMemcpyDeviceToHost);
  for (int r = 0; r < t; ++r) {
    float*& p = rows[h[r]];
    if (!p) {
      cudaMalloc(&p, d * 4);
      cp<<<1, 32>>>(w + h[r] * d, p, d);
    }
    cp<<<1, 32>>>(p, y + r * d, d);
  }
  delete[] h;
}
