// The lengths of the rows lie in memory that stays, and are computed in each call.
// kernelwright: task=../tasks/lengths_divided.py entry=run args="x, v, out, x.shape[0], v.shape[0], v.shape[1]"
__device__ float inverse[64];
__global__ void lengths(const float* v, int inner) {
  float sum = 0;
  for (int i = 0; i < inner; ++i) sum += v[threadIdx.x * inner + i] * v[threadIdx.x * inner + i];
  inverse[threadIdx.x] = rsqrtf(sum);
}
__global__ void products(const float* x, const float* v, float* y, int outer, int inner) {
  float sum = 0;
  for (int i = 0; i < inner; ++i) sum += x[blockIdx.x * inner + i] * v[threadIdx.x * inner + i];
  y[blockIdx.x * outer + threadIdx.x] = sum * inverse[threadIdx.x];
}
void run(const float* x, const float* v, float* y, int rows, int outer, int inner) {
  lengths<<<1, outer>>>(v, inner);
  products<<<rows, outer>>>(x, v, y, outer, inner);
}
