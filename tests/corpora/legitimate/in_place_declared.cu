// Changes what the task says it changes.
// kernelwright: task=../tasks/in_place.py entry=tripled args="inout(x), x.numel()"
__global__ void tripled_kernel(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 3;
}

void tripled(float* x, int n) { tripled_kernel<<<(n + 127) / 128, 128>>>(x, n); }
