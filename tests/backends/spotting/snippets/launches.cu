#define LAUNCH(kernel, n) kernel<<<(n + 255) / 256, 256>>>(n)
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) return e; } while (0)
__global__ void one(int n) { n++; }
__global__ void two(const float* x, int n) { n++; }
template <typename T, int W> __global__ void three(T* x) { x[0] = W; }
namespace ns { __global__ void four(float* x) { x[0] = 0; } }
SOME_MACRO_OF_A_HEADER void five(float* x) { x[0] = 1; }

void direct(float* x, int n) { one<<<n, 256>>>(n); three<float, 4><<<dim3(n, 2), dim3(32, 8), n * sizeof(float)>>>(x); }
void qualified(float* x, cudaStream_t s) { ns::four<<<1, {32, 2}, 0, s>>>(x); ::ns::four<<<1, 2>>>(x); }
int through(float* x, int n) { direct(x, n); return 0; }
cudaError_t runtime(float* x, void** args, cudaStream_t s) {
  CHECK(cudaLaunchKernel((void*)two, dim3(1), dim3(256), args, 128, s));
  return cudaLaunchKernelEx(&config, one, 4);
}
void by_macro(int* x) { LAUNCH(one, 12); }
void by_pointer(float* x) { void (*k)(float*) = three<float, 8>; k<<<1, 2>>>(x); }
void unknown_macro(float* x) { five<<<1, 1>>>(x); }
float not_a_launcher(float* x) { one<<<1, 1>>>(1); return 0; }
void no_launch(float* x, int n) { for (int i = 0; i < n; i++) x[i] = 0; }
void no_pointer(int n) { one<<<1, 1>>>(n); }
void stub(const float* x, float* out, int n) { /* to be written */ }
void lambda(float* x) { auto f = [=] __device__ (int i) { return x[i]; }; run([&] { one<<<2, 2>>>(1); }); }
