// What the grammar of C++ does not see: PTX and launches in blocks among a macro's arguments, a default argument that is named like
// its parameter.
#include <cuda/functional>
#include <cuda_gl_interop.h>

#include <cuda_fp16.h>
#define WRAP(...) __VA_ARGS__
#define SPECIALISE(FROM, TO, WHERE, BODY) template <> struct Cast<FROM, TO> { WHERE TO operator()(FROM val) BODY };
template <class F, class T> struct Cast;
SPECIALISE(unsigned, float, __device__, WRAP({
             unsigned short lo, hi;
             asm volatile("mov.b32 {%0, %1}, %2;\n" : "=h"(lo), "=h"(hi) : "r"(val));
             float res;
             asm volatile("cvt.f32.f16 %0, %1;\n" : "=f"(res) : "h"(lo));
             return res;
           }))
template <int N>
class Number {
  static const int n = N;
 public:
  static __device__ int sum(const int* x, int n = n) {
    int s = 0;
    for (int i = 0; i < n; ++i) s += x[i];
    return s;
  }
};
#define FOR_EACH(i, n, ...) for (int i = 0; i < n; ++i) { __VA_ARGS__ }
template <bool Twice>
__global__ void put(int* x, int value) { *x = Twice ? 2 * value : value; }

__global__ void k(float* y, const int* x) { y[0] = Cast<unsigned, float>()(0x00003e00u); y[1] = Number<3>::sum(x); }
int main() {
  float *d, h[2]; int* x; int v[4] = {1, 2, 3, 4};
  cudaMalloc(&d, 8); cudaMalloc(&x, 16); cudaMemcpy(x, v, 16, cudaMemcpyHostToDevice); k<<<1, 1>>>(d, x); cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
  FOR_EACH(i, 4,
    dim3 grid(1);
    put<true><<<grid, 1>>>(x + i, v[i]);  // not put<<<
    if (cudaGetLastError() != cudaSuccess) return 2;
  )
  cudaMemcpy(v, x, 16, cudaMemcpyDeviceToHost);
  auto twice = cuda::proclaim_return_type<int>([](int i) { return 2 * i; });
  for (int i = 0; i < 4; ++i) if (v[i] != cuda::maximum<>()(twice(i + 1), 0)) return 3;
  cudaFree(d); cudaFree(x);
  return h[0] == 1.5f && h[1] == 6 ? 0 : 1;
}
