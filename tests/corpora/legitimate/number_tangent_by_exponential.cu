// A series near nought, the quick exponential further out.
// kernelwright: task=../tasks/tanh_small.py entry=run args="x, out, x.numel()"
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = fabsf(x[i]), q = v * v, w;
  if (v < 0.2f) w = v * (1 + q * (-1.f / 3 + q * (2.f / 15 + q * (-17.f / 315 + q * (62.f / 2835)))));
  else w = 1 - 2 / (__expf(2 * v) + 1);
  y[i] = copysignf(w, x[i]);
}
void run(const float* x, float* y, int n) { k<<<(n + 127) / 128, 128>>>(x, y, n); }
