// kernelwright: task=../double.py entry=doubled

template <typename T, int kBlock = 256>
__global__ void __launch_bounds__(kBlock) twice(const T* __restrict__ x, T* __restrict__ y, int n) {
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) y[i] = T(2) * x[i];
}

void doubled(const float* x, float* y, int n) {
  auto kernel = twice<float>;
  kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
