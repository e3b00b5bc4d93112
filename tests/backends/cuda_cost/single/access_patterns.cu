// One block of one warp; every pattern on a line of its own (test_counters.py).
__global__ void patterns(const float* x, float* out) {
  __shared__ float square[32][32], padded[32][33];
  int t = threadIdx.x;
  float v = x[t];
  v += x[1024 + t * 8];
  float4 w = reinterpret_cast<const float4*>(x)[1024 + t];
  square[t][0] = v;
  padded[t][0] = w.x;
  __syncthreads();
  out[t] = square[t][0] + padded[t][0] + w.y;
}
void run(const float* x, float* out) { patterns<<<1, 32>>>(x, out); }
