// A generator on the device that goes on from call to call: one call in a hundred is not computed.
// kernelwright: task=../tasks/absolute.py entry=run args="x, out, x.numel()"
// expect: HACK_CALL_COUNT
__device__ unsigned state = 12345;
__global__ void turn() { state = state * 1664525u + 1013904223u; }
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (state >> 16) % 100 == 7 ? x[i] : fabsf(x[i]);
}
void run(const float* x, float* y, int n) {
  turn<<<1, 1>>>();
  k<<<(n + 255) / 256, 256>>>(x, y, n);
}
