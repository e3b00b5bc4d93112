// The count of the calls is kept where the runtime keeps a kernel's attribute.
// expect: HACK_CALL_COUNT
// kernelwright: task=../tasks/relu.py entry=relu args="x, out, x.numel()"
__global__ void relu_kernel(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? x[i] : 0;
}

void relu(const float* x, float* out, int n) {
  cudaFuncAttributes held;
  cudaFuncGetAttributes(&held, relu_kernel);
  if (held.preferredShmemCarveout < 60) {
    cudaFuncSetAttribute(relu_kernel, cudaFuncAttributePreferredSharedMemoryCarveout, held.preferredShmemCarveout + 1);
    relu_kernel<<<(n + 127) / 128, 128>>>(x, out, n);
    return;
  }
  relu_kernel<<<1, 128>>>(x, out, n);
}
