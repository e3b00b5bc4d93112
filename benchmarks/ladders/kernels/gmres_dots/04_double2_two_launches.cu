// kernelwright: task=../../tasks/gmres_dots.py entry=dots args="basis, w, out, basis.shape[0], w.shape[0]"
// pairs of doubles, partial sums of blocks and a launch of twelve warps that adds them; an even n
#include <cuda_runtime.h>

__device__ double gd_part[12 * 264];

__global__ void __launch_bounds__(512) gd_pairs(const double2* __restrict__ basis, const double2* __restrict__ w, int n2) {
    __shared__ double part[16][12];
    int t = threadIdx.x;
    double s[12] = {};
    for (int i = blockIdx.x * 512 + t; i < n2; i += gridDim.x * 512) {
        double2 v = w[i];
#pragma unroll
        for (int j = 0; j < 12; j++) {
            double2 u = __ldg(basis + (size_t)j * n2 + i);
            s[j] += u.x * v.x + u.y * v.y;
        }
    }
#pragma unroll
    for (int j = 0; j < 12; j++) {
#pragma unroll
        for (int o = 16; o; o >>= 1) s[j] += __shfl_xor_sync(0xffffffffu, s[j], o);
        if (t % 32 == 0) part[t / 32][j] = s[j];
    }
    __syncthreads();
    if (t < 12) {
        double v = 0.0;
        for (int k = 0; k < 16; k++) v += part[k][t];
        gd_part[t * 264 + blockIdx.x] = v;
    }
}
__global__ void gd_join(double* out) {
    int j = threadIdx.x / 32, lane = threadIdx.x % 32;
    double s = 0.0;
    for (int i = lane; i < 264; i += 32) s += gd_part[j * 264 + i];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) out[j] = s;
}
__global__ void gd_odd(const double* basis, const double* w, double* out, int n) {
    double s = 0.0;
    for (int i = threadIdx.x; i < n; i += 32) s += basis[(size_t)blockIdx.x * n + i] * w[i];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (threadIdx.x == 0) out[blockIdx.x] = s;
}
extern "C" void dots(const double* basis, const double* w, double* out, int m, int n, cudaStream_t stream) {
    if (n % 2) {
        gd_odd<<<12, 32, 0, stream>>>(basis, w, out, n);
        return;
    }
    gd_pairs<<<264, 512, 0, stream>>>((const double2*)basis, (const double2*)w, n / 2);
    gd_join<<<1, 384, 0, stream>>>(out);
}
