// kernelwright: task=../task.py entry=parted_lanes args="x, out, x.shape[0]"
// each lane of eight goes its own way
#include <cuda_runtime.h>

__device__ __noinline__ float st_way(float v, float a, int rounds) {
    for (int k = 0; k < rounds; ++k) v = v * a + 0.25f;
    return v;
}
__global__ void st_parted(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i], w = v;
    switch (i % 8) {
        case 0: w = st_way(v, 0.25f, 96); break;
        case 1: w = st_way(v, 0.26f, 97); break;
        case 2: w = st_way(v, 0.27f, 98); break;
        case 3: w = st_way(v, 0.28f, 99); break;
        case 4: w = st_way(v, 0.29f, 100); break;
        case 5: w = st_way(v, 0.30f, 101); break;
        case 6: w = st_way(v, 0.31f, 102); break;
        default: w = st_way(v, 0.32f, 103);
    }
    out[i] = w > 1e30f ? 0.f : v;
}
extern "C" void parted_lanes(const float* x, float* out, int n, cudaStream_t stream) {
    st_parted<<<(n + 255) / 256, 256, 0, stream>>>(x, out, n);
}
