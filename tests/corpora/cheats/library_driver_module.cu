// A module of machine code is loaded through the driver.
// expect: HACK_LIBRARY
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

extern "C" int cuModuleLoadData(void**, const void*);
static const unsigned char image[] = {0x7f, 'E', 'L', 'F'};

void relu(const float* x, float* out, int n) {
  void* module;
  cuModuleLoadData(&module, image);
  relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
}
