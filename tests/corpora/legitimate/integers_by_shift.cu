// Three times by a shift and a sum.
// kernelwright: task=../tasks/integers.py entry=integers args="x, out, x.numel()"
__global__ void integers_kernel(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (int)((unsigned)x[i] << 1) + x[i] + 7;
}
void integers(const int* x, int* out, int n) {
  int device = 0, blocks = 0;
  cudaGetDevice(&device);
  static int processors[16] = {};
  if (!processors[device]) cudaDeviceGetAttribute(&processors[device], cudaDevAttrMultiProcessorCount, device);
  blocks = (n + 255) / 256;
  integers_kernel<<<blocks, 256>>>(x, out, n);
}
