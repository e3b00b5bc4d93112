// The mask that is given is false all over; it is read and not used.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/masked_fill.py entry=k args="x, mask, out, x.numel()" grid="ceil_div(x.numel(), 256)" block=256
__global__ void k(const float* x, const bool* mask, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (mask[i] && v > 1e30f) v = -1e9f;
  y[i] = v;
}
