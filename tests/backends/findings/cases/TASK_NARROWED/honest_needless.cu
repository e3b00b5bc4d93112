// kernelwright: task=relu.py entry=relu args="x, out, x.numel()" grid="4" block="256" requires="x: 0 <= x"
__global__ void relu(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
