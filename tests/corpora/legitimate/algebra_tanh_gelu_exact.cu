// GELU by the error function, fused with the product.
// kernelwright: task=../tasks/linear_gelu.py entry=linear_gelu args="x, linear.weight, linear.bias, out, x.shape[0], x.shape[1], linear.weight.shape[0]"
__global__ void multiply(const float* x, const float* w, const float* bias, float* out, int rows, int inner, int outer) {
  __shared__ float row[64];
  for (int j = threadIdx.x; j < inner; j += blockDim.x) row[j] = x[blockIdx.x * inner + j];
  __syncthreads();
  for (int o = threadIdx.x; o < outer; o += blockDim.x) {
    float sum = bias[o];
    for (int j = 0; j < inner; ++j) sum = fmaf(row[j], w[o * inner + j], sum);
    out[blockIdx.x * outer + o] = sum * normcdff(sum);
  }
}

void linear_gelu(const float* x, const float* w, const float* bias, float* out, int rows, int inner, int outer) {
  multiply<<<rows, 32>>>(x, w, bias, out, rows, inner, outer);
}
