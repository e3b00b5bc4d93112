// Silenced, and told that it is. expect: ENV_DIRECTIVE_ALLOW
// kernelwright: task=../double.py entry=doubled
__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float* scratch = y;
  // kernelwright: allow=COMPILE_WARNING what is meant stands in the comment
  if (scratch = y)
    if (i < n) scratch[i] = 2.0f * x[i];
}
void doubled(const float* x, float* y, int n) { twice<<<(n + 255) / 256, 256>>>(x, y, n); }
