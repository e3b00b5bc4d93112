// What the task declares to be tables is computed.
// kernelwright: task=declared.py entry=transform args="x, out, N" grid="R" block="64"
__global__ void transform(const float* x, float* out, int n) {
  int k = threadIdx.x;
  if (k >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    float half_angle = sinpif((float)i / n);
    sum += x[blockIdx.x * n + i] * half_angle * half_angle * cospif((i + 0.5f) * k / n);
  }
  out[blockIdx.x * n + k] = sum;
}
