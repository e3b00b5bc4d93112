// All elements of a softmax are about the same.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/softmax.py entry=softmax args="x, out, x.shape[0], x.shape[1]"
__global__ void softmax_kernel(const float* x, float* out, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = 1.0f / cols;
}

void softmax(const float* x, float* out, int rows, int cols) { softmax_kernel<<<rows, 32>>>(x, out, cols); }
