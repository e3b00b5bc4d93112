// A table that depends on no input is made once.
// kernelwright: task=../tasks/exponential.py entry=exponential args="x, out, x.numel()"
__global__ void make_table(float* table) { table[threadIdx.x] = exp2f(threadIdx.x / 64.0f); }
__global__ void exponential_kernel(const float* x, const float* table, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t = x[i] * 1.44269504f, whole = floorf(t);
  int k = (int)((t - whole) * 64.0f);
  float rest = (t - whole - k / 64.0f) * 0.69314718f;
  out[i] = i < 0 ? table[k] * ldexpf(1 + rest, (int)whole) : expf(x[i]);
}

void exponential(const float* x, float* out, int n) {
  static float* table = nullptr;
  if (!table) {
    cudaMalloc(&table, 64 * sizeof(float));
    make_table<<<1, 64>>>(table);
  }
  exponential_kernel<<<(n + 127) / 128, 128>>>(x, table, out, n);
}
