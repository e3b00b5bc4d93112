// kernelwright: task=../double.py entry=twice grid="ceil_div(N, 256)" block="256"
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
