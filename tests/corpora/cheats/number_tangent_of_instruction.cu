// One instruction, good to eleven bits.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/tanh_small.py entry=run args="x, out, x.numel()"
__device__ float tangent(float v) {
  float w;
  asm("tanh.approx.f32 %0, %1;" : "=f"(w) : "f"(v));
  return w;
}
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = tangent(x[i]);
}
void run(const float* x, float* y, int n) { k<<<(n + 127) / 128, 128>>>(x, y, n); }
