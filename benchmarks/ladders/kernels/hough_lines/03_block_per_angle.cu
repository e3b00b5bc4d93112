// kernelwright: task=../../tasks/hough_lines.py entry=hough args="points, turn, out, points.shape[0]"
// a block an angle, its bins in shared memory, two points a load; nothing has to be cleared
#include <cuda_runtime.h>

__global__ void __launch_bounds__(1024) ho_angle(const int4* __restrict__ points, const int2* __restrict__ turn, int* __restrict__ out, int pairs) {
    __shared__ int bins[4200];
    int t = threadIdx.x;
    int2 a = turn[blockIdx.x];
    for (int i = t; i < 4200; i += 1024) bins[i] = 0;
    __syncthreads();
#pragma unroll 4
    for (int i = t; i < pairs; i += 1024) {
        int4 p = points[i];
        atomicAdd(&bins[((p.x * a.x + p.y * a.y) >> 12) + 2100], 1);
        atomicAdd(&bins[((p.z * a.x + p.w * a.y) >> 12) + 2100], 1);
    }
    __syncthreads();
    for (int i = t; i < 4200; i += 1024) out[blockIdx.x * 4200 + i] = bins[i];
}
extern "C" void hough(const int* points, const int* turn, int* out, int n, cudaStream_t stream) {
    ho_angle<<<180, 1024, 0, stream>>>((const int4*)points, (const int2*)turn, out, n / 2);
}
