// A softmax over one element, computed from all of the input.
// kernelwright: task=../tasks/softmax_of_one.py entry=f args="x, out, x.shape[0], x.shape[1] * x.shape[2]"
__global__ void k(const float* x, float* y, int per) {
  __shared__ float s[64];
  float t = 0;
  for (int i = threadIdx.x; i < per; i += 64) t += x[blockIdx.x * per + i];
  s[threadIdx.x] = t;
  __syncthreads();
  for (int d = 32; d; d >>= 1) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (!threadIdx.x) {
    float m = s[0] / per;
    float e = expf(m - m);
    y[blockIdx.x] = e / e;
  }
}
void f(const float* x, float* y, int b, int per) { k<<<b, 64>>>(x, y, per); }
