// kernelwright: task=../../tasks/cg_iteration.py entry=cg_step args="x, r, p, out, x.shape[0], x.shape[1]"
// the two dots are taken while q is made, the third while r is
#include <cuda_runtime.h>

__device__ double g_q[1000 * 1200];
__device__ double g_sum[3];

__device__ void block_add(double v, double* to) {
    __shared__ double s[8];
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    __syncthreads();
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) v += s[k];
        atomicAdd(to, v);
    }
}

__global__ void matvec(const double* __restrict__ r, const double* __restrict__ p, int H, int W) {
    int i = blockIdx.x * 256 + threadIdx.x;
    double rr = 0.0, pq = 0.0;
    if (i < H * W) {
        int y = i / W, x = i - y * W;
        double c = p[i], q = 4.0 * c;
        if (y > 0) q -= p[i - W];
        if (y < H - 1) q -= p[i + W];
        if (x > 0) q -= p[i - 1];
        if (x < W - 1) q -= p[i + 1];
        g_q[i] = q;
        rr = r[i] * r[i];
        pq = c * q;
    }
    block_add(rr, &g_sum[0]);
    block_add(pq, &g_sum[1]);
}

__global__ void update(const double* __restrict__ x, const double* __restrict__ r, const double* __restrict__ p, double* __restrict__ out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    double s = 0.0;
    if (i < n) {
        double alpha = g_sum[0] / g_sum[1];
        out[i] = x[i] + alpha * p[i];
        double v = r[i] - alpha * g_q[i];
        out[n + i] = v;
        s = v * v;
    }
    block_add(s, &g_sum[2]);
}

__global__ void direction(const double* __restrict__ p, double* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[2 * n + i] = out[n + i] + g_sum[2] / g_sum[0] * p[i];
}

extern "C" void cg_step(const double* x, const double* r, const double* p, double* out, int H, int W, cudaStream_t stream) {
    int n = H * W, blocks = (n + 255) / 256;
    void* sums;
    cudaGetSymbolAddress(&sums, g_sum);
    cudaMemsetAsync(sums, 0, 3 * sizeof(double), stream);
    matvec<<<blocks, 256, 0, stream>>>(r, p, H, W);
    update<<<blocks, 256, 0, stream>>>(x, r, p, out, n);
    direction<<<blocks, 256, 0, stream>>>(p, out, n);
}
