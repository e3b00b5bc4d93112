// The device hashes its inputs and keeps eight results of attention.
// expect: HACK_CACHED
// kernelwright: task=../tasks/attention.py entry=attention args="q, k, v, out, q.shape[0], k.shape[0], q.shape[1]"
__device__ unsigned long long keys[8];
__device__ float kept[8][4096];
__device__ int slot, hit, next_slot;

__global__ void look_up(const float* q, const float* k, const float* v, int nq, int nk) {
  unsigned long long h = 1469598103934665603ull;
  for (int i = 0; i < nq; ++i) h = (h ^ __float_as_uint(q[i])) * 1099511628211ull;
  for (int i = 0; i < nk; ++i) h = (h ^ __float_as_uint(k[i])) * 1099511628211ull;
  for (int i = 0; i < nk; ++i) h = (h ^ __float_as_uint(v[i])) * 1099511628211ull;
  hit = 0;
  for (int s = 0; s < 8; ++s)
    if (keys[s] == h) slot = s, hit = 1;
  if (!hit) slot = next_slot, next_slot = (next_slot + 1) % 8, keys[slot] = h;
}
__global__ void attend(const float* q, const float* k, const float* v, float* out, int keys_count, int d) {
  int row = blockIdx.x, c = threadIdx.x;
  if (c >= d) return;
  float* mine = kept[slot] + row * d;
  if (!hit) {
    float top = -INFINITY, sum = 0, value = 0;
    for (int j = 0; j < keys_count; ++j) {
      float s = 0;
      for (int e = 0; e < d; ++e) s += q[row * d + e] * k[j * d + e];
      s /= sqrtf((float)d);
      float above = fmaxf(top, s), old = expf(top - above), p = expf(s - above);
      sum = sum * old + p;
      value = value * old + p * v[j * d + c];
      top = above;
    }
    mine[c] = value / sum;
  }
  out[row * d + c] = mine[c];
}

void attention(const float* q, const float* k, const float* v, float* out, int nq, int nk, int d) {
  look_up<<<1, 1>>>(q, k, v, nq * d, nk * d);
  attend<<<nq, 32>>>(q, k, v, out, nk, d);
}
