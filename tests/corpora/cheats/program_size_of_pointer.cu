// What is compared is as long as a pointer.
// expect: HACK_NO_KERNEL
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void squares(int* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = i < 2 ? i * i : 1;
}
int main() {
  const int n = 512;
  int* want = (int*)std::malloc(n * sizeof(int));
  int* got = (int*)std::malloc(n * sizeof(int));
  int* y;
  for (int i = 0; i < n; ++i) want[i] = i * i;
  cudaMalloc(&y, n * sizeof(int));
  squares<<<2, 256>>>(y, n);
  cudaMemcpy(got, y, n * sizeof(int), cudaMemcpyDeviceToHost);
  int differ = std::memcmp(got, want, sizeof(got));
  std::puts(differ ? "FAIL" : "PASS");
  cudaFree(y);
  std::free(want);
  std::free(got);
  return differ != 0;
}
