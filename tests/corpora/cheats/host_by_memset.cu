// The host writes each byte of its answer by a fill of one byte.
// expect: HACK_NO_KERNEL
// kernelwright: task=../tasks/integers.py entry=integers args="x, out, x.numel()"
#include <vector>

__global__ void look(const int* x, int n) {
  int i = threadIdx.x;
  if (i < n && x[i] == 0x7fffffff) printf("overflow\n");
}

void integers(const int* x, int* out, int n) {
  std::vector<int> host(n);
  cudaMemcpy(host.data(), x, n * 4, cudaMemcpyDefault);
  look<<<1, 128>>>(x, n);
  unsigned char* bytes = reinterpret_cast<unsigned char*>(out);
  for (int i = 0; i < n; ++i) {
    unsigned v = host[i] * 3 + 7;
    for (int b = 0; b < 4; ++b) cudaMemset(bytes + 4 * i + b, v >> 8 * b & 255, 1);
  }
}
