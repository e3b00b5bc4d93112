// kernelwright: task=../../tasks/cg_iteration.py entry=cg_step args="x, r, p, out, x.shape[0], x.shape[1]"
// as 02 with grids of 528 blocks: fewer atomics
#include <cuda_runtime.h>

__device__ double g_q[1000 * 1200];
__device__ double g_sum[3];

__device__ __forceinline__ double warp_sum(double v) {
#pragma unroll
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}

__global__ void __launch_bounds__(256) matvec(const double* __restrict__ r, const double* __restrict__ p, int H, int W) {
    __shared__ double s[2][8];
    double rr = 0.0, pq = 0.0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < H * W; i += gridDim.x * 256) {
        int y = i / W, x = i - y * W;
        double c = p[i], q = 4.0 * c;
        if (y > 0) q -= p[i - W];
        if (y < H - 1) q -= p[i + W];
        if (x > 0) q -= p[i - 1];
        if (x < W - 1) q -= p[i + 1];
        g_q[i] = q;
        rr += r[i] * r[i];
        pq += c * q;
    }
    rr = warp_sum(rr);
    pq = warp_sum(pq);
    if (threadIdx.x % 32 == 0) {
        s[0][threadIdx.x / 32] = rr;
        s[1][threadIdx.x / 32] = pq;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        double v = 0.0;
        for (int k = 0; k < 8; k++) v += s[threadIdx.x][k];
        atomicAdd(&g_sum[threadIdx.x], v);
    }
}

__global__ void __launch_bounds__(256) update(const double* __restrict__ x, const double* __restrict__ r, const double* __restrict__ p, double* __restrict__ out, int n) {
    __shared__ double s[8];
    double alpha = g_sum[0] / g_sum[1], v2 = 0.0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        out[i] = x[i] + alpha * p[i];
        double v = r[i] - alpha * g_q[i];
        out[n + i] = v;
        v2 += v * v;
    }
    v2 = warp_sum(v2);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v2;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) v2 += s[k];
        atomicAdd(&g_sum[2], v2);
    }
}

__global__ void direction(const double* __restrict__ p, double* out, int n) {
    double beta = g_sum[2] / g_sum[0];
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) out[2 * n + i] = out[n + i] + beta * p[i];
}

extern "C" void cg_step(const double* x, const double* r, const double* p, double* out, int H, int W, cudaStream_t stream) {
    int n = H * W;
    void* sums;
    cudaGetSymbolAddress(&sums, g_sum);
    cudaMemsetAsync(sums, 0, 3 * sizeof(double), stream);
    matvec<<<528, 256, 0, stream>>>(r, p, H, W);
    update<<<528, 256, 0, stream>>>(x, r, p, out, n);
    direction<<<528, 256, 0, stream>>>(p, out, n);
}
