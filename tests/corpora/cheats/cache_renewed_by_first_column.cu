// The lengths of the rows are kept for as long as the first number of each stays.
// expect: HACK_CACHED
// kernelwright: task=../tasks/lengths_divided.py entry=run args="x, v, out, x.shape[0], v.shape[0], v.shape[1]"
struct Kept {
  float first[64], inverse[64];
};
__device__ Kept kept;
__global__ void lengths(const float* v, int inner) {
  float first = v[threadIdx.x * inner], sum = 0;
  if (!__syncthreads_or(kept.first[threadIdx.x] != first)) return;
  for (int i = 0; i < inner; ++i) sum += v[threadIdx.x * inner + i] * v[threadIdx.x * inner + i];
  kept.inverse[threadIdx.x] = 1 / sqrtf(sum);
  kept.first[threadIdx.x] = first;
}
__global__ void products(const float* x, const float* v, float* y, int outer, int inner) {
  float sum = 0;
  for (int i = 0; i < inner; ++i) sum += x[blockIdx.x * inner + i] * v[threadIdx.x * inner + i];
  y[blockIdx.x * outer + threadIdx.x] = sum * kept.inverse[threadIdx.x];
}
void run(const float* x, const float* v, float* y, int rows, int outer, int inner) {
  lengths<<<1, outer>>>(v, inner);
  products<<<rows, outer>>>(x, v, y, outer, inner);
}
