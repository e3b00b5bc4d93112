// kernelwright: task=../../tasks/grid_deposit.py entry=deposit args="p, out, p.shape[0]"
// eight blocks a slab of cells: its particles are found by bisection and added up in two planes in shared memory
#include <cuda_runtime.h>

__device__ __forceinline__ int g3_first(const float* __restrict__ p, int n, int slab) {
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (p[mid * 3] < slab) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}
__global__ void __launch_bounds__(512) g3_slab(const float* __restrict__ p, float* __restrict__ out, int n) {
    __shared__ float s[2 * 4096];
    __shared__ int ends[2];
    int t = threadIdx.x, slab = blockIdx.y;
    if (t < 2) ends[t] = g3_first(p, n, slab + t);
    for (int i = t; i < 2 * 4096; i += 512) s[i] = 0.f;
    __syncthreads();
    for (int i = ends[0] + blockIdx.x * 512 + t; i < ends[1]; i += gridDim.x * 512) {
        float x = p[i * 3], y = p[i * 3 + 1], z = p[i * 3 + 2];
        int cy = (int)y, cz = (int)z;
        float fx = x - slab, fy = y - cy, fz = z - cz;
        int y0 = cy * 64, y1 = ((cy + 1) & 63) * 64, z1 = (cz + 1) & 63;
        float a = (1 - fy) * (1 - fz), b = (1 - fy) * fz, c = fy * (1 - fz), d = fy * fz;
        atomicAdd(&s[y0 + cz], (1 - fx) * a);
        atomicAdd(&s[y0 + z1], (1 - fx) * b);
        atomicAdd(&s[y1 + cz], (1 - fx) * c);
        atomicAdd(&s[y1 + z1], (1 - fx) * d);
        atomicAdd(&s[4096 + y0 + cz], fx * a);
        atomicAdd(&s[4096 + y0 + z1], fx * b);
        atomicAdd(&s[4096 + y1 + cz], fx * c);
        atomicAdd(&s[4096 + y1 + z1], fx * d);
    }
    __syncthreads();
    for (int i = t; i < 2 * 4096; i += 512)
        if (s[i] != 0.f) atomicAdd(&out[((slab + i / 4096) & 63) * 4096 + i % 4096], s[i]);
}
extern "C" void deposit(const float* p, float* out, int n, cudaStream_t stream) {
    cudaMemsetAsync(out, 0, 64 * 64 * 64 * 4, stream);
    g3_slab<<<dim3(8, 64), 512, 0, stream>>>(p, out, n);
}
