#define KERNEL __global__ static __launch_bounds__(256)
#define INLINE __device__ __forceinline__
#define SCALAR float
typedef unsigned int uint32;
using Half = __half;
using Pointer = const double*;

KERNEL void macro(SCALAR* x, uint32 n, const Half* h, Pointer p);
KERNEL void macro(SCALAR* x, uint32 n, const Half* h, Pointer p) { x[n] = __half2float(h[0]) + p[0]; }
INLINE float twice(float x) { return 2 * x; }
__launch_bounds__(64) __global__ void before(unsigned char const* a, long long int *b, unsigned long long c) { *b = *a + c; }
__global__ void __launch_bounds__(64, 2) after(signed char* a, short b[], const double (&c)[4], int (*f)(int)) { a[0] = b[0]; }
__global__ void __cluster_dims__(2, 1, 1) clustered(const __grid_constant__ int n, void* __restrict__ p, float** q) { (void)n; }
extern "C" __global__ void c_linkage(bool* mask, const int8_t *const v, std::int32_t w, float2 u) { mask[0] = v[0] == w; }
extern "C" {
__global__ void
in_block
(
    const nv_bfloat16* x /* rows */,
    size_t n = 16  // how many
)
{
  // nothing yet
}
}
namespace outer { namespace {
template <typename T, int N = 4, class... Rest>
__global__ void templated(const T* x, T y, Rest... rest) { outer::deep::call<N>(x); }
}
namespace deep::er { __global__ void nested() {} }
struct Functor {
  template <int K> static __global__ void member(float* x) { x[K] = 0; }
  __device__ float operator()(float x) const { return twice(x); }
  Functor(int n) : n(n) {}
  int n;
};
}
template <> __global__ void outer::templated<float>(const float* x, float y) { helper(y); }
auto trailing(const float* x, int n) -> cudaError_t { macro<<<n, 256>>>(nullptr, 0, nullptr, nullptr); return cudaGetLastError(); }
__host__ __device__ constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
static const char* text = R"(__global__ void in_a_string(float* x) {})";  // __global__ void in_a_comment() {}
int main(int argc, char** argv) { return argc; }
