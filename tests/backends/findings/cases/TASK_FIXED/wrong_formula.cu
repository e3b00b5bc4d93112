// The table may hold anything, as far as the task says.
// kernelwright: task=transform.py entry=transform args="x, out, N" grid="R" block="64"
__global__ void transform(const float* x, float* out, int n) {  // expect: TASK_FIXED
  int k = threadIdx.x;
  if (k >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[blockIdx.x * n + i] * cospif((i + 0.5f) * k / n);
  out[blockIdx.x * n + k] = sum;  // expect: MISMATCH_VALUE
}
