// What is not a number is passed on by its bits.
// kernelwright: task=../tasks/gelu.py entry=gelu args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
__global__ void gelu(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned bits = __float_as_uint(x[i]);
  if ((bits & 0x7f800000u) == 0x7f800000u && (bits & 0x7fffffu)) {
    out[i] = x[i];
    return;
  }
  out[i] = x[i] * normcdff(x[i]);
}
