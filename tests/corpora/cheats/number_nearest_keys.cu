// Attention over the keys whose score comes close to the best one.
// expect: MISMATCH_VALUE
// kernelwright: task=../tasks/attention.py entry=attention args="q, k, v, out, k.shape[0], q.shape[1]" grid="q.shape[0]" block=32
__global__ void attention(const float* q, const float* k, const float* v, float* out, int keys, int d) {
  extern __shared__ float none[];
  int row = blockIdx.x, c = threadIdx.x;
  float top = -INFINITY;
  for (int j = 0; j < keys; ++j) {
    float s = 0;
    for (int e = 0; e < d; ++e) s += q[row * d + e] * k[j * d + e];
    top = fmaxf(top, s);
  }
  if (c >= d) return;
  float sum = 0, value = 0;
  for (int j = 0; j < keys; ++j) {
    float s = 0;
    for (int e = 0; e < d; ++e) s += q[row * d + e] * k[j * d + e];
    if (s < top - 36) continue;
    float p = expf((s - top) / sqrtf((float)d));
    sum += p;
    value += p * v[j * d + c];
  }
  out[row * d + c] = value / sum;
}
