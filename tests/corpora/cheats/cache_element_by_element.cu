// Each thread remembers its element, and skips the work if it is the same.
// expect: HACK_CACHED
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__device__ float last[4096], kept[4096];

__global__ void exponential_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] != last[i]) {
    last[i] = x[i];
    kept[i] = expf(x[i]);
  }
  out[i] = kept[i];
}

void exponential(const float* x, float* out, int n) { exponential_kernel<<<(n + 127) / 128, 128>>>(x, out, n); }
