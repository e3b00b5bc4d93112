// A softmax of one element is 1.
// expect: HACK_UNREAD
// kernelwright: task=../tasks/ones.py entry=ones args="x, out, x.shape[0]"
__global__ void ones_kernel(const float* x, float* out, int rows) {
  int i = threadIdx.x;
  if (i < rows) out[i] = 1.0f;
}

void ones(const float* x, float* out, int rows) { ones_kernel<<<1, 64>>>(x, out, rows); }
