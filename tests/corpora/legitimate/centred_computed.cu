// A task whose answer is constant, computed all the same.
// kernelwright: task=../tasks/centred.py entry=centred args="x, out, x.shape[0], x.shape[1]"
__global__ void centred_kernel(const float* x, float* out, int cols) {
  float top = -INFINITY;
  for (int c = 0; c < cols; ++c) top = fmaxf(top, x[blockIdx.x * cols + c]);
  out[blockIdx.x] = top - top / 1.0f;
}

void centred(const float* x, float* out, int rows, int cols) { centred_kernel<<<rows, 1>>>(x, out, cols); }
