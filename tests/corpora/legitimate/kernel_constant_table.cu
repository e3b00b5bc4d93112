// A table that the compiler works out, in constant memory.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()" grid="(x.numel() + 127) // 128" block=128
constexpr int kTerms = 7;
struct Factors {
  float of[kTerms];
  constexpr Factors() : of() {
    float value = 1;
    for (int i = 0; i < kTerms; ++i) {
      of[i] = value;
      value /= i + 1;
    }
  }
};
__constant__ Factors factors = Factors();

__global__ void exponential(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  // exp(x) = 2^k exp(r), |r| <= ln(2) / 2
  float k = rintf(x[i] * 1.44269504f);
  float r = fmaf(k, -0.693359375f, x[i]);
  r = fmaf(k, 2.12194440e-4f, r);
  float sum = 0;
  for (int t = kTerms - 1; t >= 0; --t) sum = fmaf(sum, r, factors.of[t]);
  out[i] = x[i] > 88.7f ? INFINITY : x[i] < -103.9f ? 0.0f : ldexpf(sum, int(k));
}
