#include <cuda_runtime.h>

__device__ float total(float4 v) { return v.x + v.y + v.z + v.w; }
// What is one instruction of the device, whatever it takes here; and values handed to a function.
__global__ void bytes(const int* x, int* out) {
    int i = threadIdx.x, s = 0, v = x[i];
    for (int k = 0; k < 64; ++k) s = __dp4a(v, s, s);
    out[i] = s;
}
__global__ void by_value(const float4* x, float* out) {
    float s = 0.f;
    for (int k = 0; k < 16; ++k) s += total(x[k]);
    out[threadIdx.x] = s;
}
extern "C" void run(const void* x, void* out, int which) {
    if (which == 0) bytes<<<1, 32>>>((const int*)x, (int*)out);
    if (which == 1) by_value<<<1, 32>>>((const float4*)x, (float*)out);
}
