// The lower half of the matrix is not read: the task does not use it.
// kernelwright: task=../tasks/upper.py entry=upper args="a, v, out, v.numel()"
__global__ void upper_kernel(const float* a, const float* v, float* out, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float sum = 0;
  for (int c = r; c < n; ++c) sum += a[r * n + c] * v[c];
  out[r] = sum;
}

void upper(const float* a, const float* v, float* out, int n) { upper_kernel<<<1, 64>>>(a, v, out, n); }
