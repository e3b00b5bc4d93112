// A bare layer norm in one pass over each row.
// kernelwright: task=../tasks/layernorm.py entry=layernorm args="x, norm.weight, norm.bias, out, x.shape[1]" grid="x.shape[0]" block=32
struct Moments { float mean, m2, count; };

__device__ Moments joined(Moments a, Moments b) {
  float count = a.count + b.count;
  if (count == 0) return a;
  float delta = b.mean - a.mean;
  return {a.mean + delta * b.count / count, a.m2 + b.m2 + delta * delta * a.count * b.count / count, count};
}

__global__ void layernorm(const float* x, const float* w, const float* b, float* out, int cols) {
  const float* row = x + blockIdx.x * cols;
  Moments own{0, 0, 0};
  for (int c = threadIdx.x; c < cols; c += 32) own = joined(own, {row[c], 0, 1});
  for (int step = 16; step; step /= 2) {
    Moments other{__shfl_xor_sync(0xffffffff, own.mean, step), __shfl_xor_sync(0xffffffff, own.m2, step), __shfl_xor_sync(0xffffffff, own.count, step)};
    own = joined(own, other);
  }
  float scale = rsqrtf(own.m2 / cols + 1e-5f);
  for (int c = threadIdx.x; c < cols; c += 32) out[blockIdx.x * cols + c] = (row[c] - own.mean) * scale * w[c] + b[c];
}
