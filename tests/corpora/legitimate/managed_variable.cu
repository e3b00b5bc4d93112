// A managed variable, declared by that word alone.
// kernelwright: task=../tasks/mse.py entry=mse args="a, b, out, a.numel()"
__managed__ double total;
__global__ void clear() { total = 0; }
__global__ void k(const float* a, const float* b, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float d = a[i] - b[i];
    s += d * d;
  }
  atomicAdd(&total, (double)s);
}
__global__ void fin(float* y, int n) { *y = (float)(total / n); }
void mse(const float* a, const float* b, float* y, int n) {
  clear<<<1, 1>>>();
  k<<<4, 128>>>(a, b, n);
  fin<<<1, 1>>>(y, n);
}
