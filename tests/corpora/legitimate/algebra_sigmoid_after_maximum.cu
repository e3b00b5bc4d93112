// The sigmoid grows, so the maximum is taken before it.
// kernelwright: task=../tasks/sigmoid_chain.py entry=sigmoid_max args="x, weight, out, x.shape[0], x.shape[1], weight.shape[1]"
__global__ void sigmoid_max_kernel(const float* x, const float* w, float* out, int inner, int outer) {
  float top = -INFINITY;
  for (int o = threadIdx.x; o < outer; o += 32) {
    float sum = 0;
    for (int j = 0; j < inner; ++j) sum += x[blockIdx.x * inner + j] * w[j * outer + o];
    top = fmaxf(top, sum);
  }
  for (int step = 16; step; step /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, step));
  if (threadIdx.x == 0) out[blockIdx.x] = 1.0f / (1.0f + expf(-top));
}

void sigmoid_max(const float* x, const float* w, float* out, int rows, int inner, int outer) {
  sigmoid_max_kernel<<<rows, 32>>>(x, w, out, inner, outer);
}
