// kernelwright: task=../../tasks/cg_iteration.py entry=cg_step args="x, r, p, out, x.shape[0], x.shape[1]"
// x is updated on a second stream beside the rest of the chain
#include <cuda_runtime.h>

__device__ double g_q[1000 * 1200];
__device__ double g_sum[3];

__device__ __forceinline__ void add_all(double v, double* to) {
    __shared__ double s[8];
#pragma unroll
    for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);
    __syncthreads();
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; k++) v += s[k];
        atomicAdd(to, v);
    }
}

__global__ void __launch_bounds__(256) matvec(const double* __restrict__ r, const double* __restrict__ p, int H, int W) {
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
    add_all(rr, &g_sum[0]);
    add_all(pq, &g_sum[1]);
}

__global__ void solution(const double* __restrict__ x, const double* __restrict__ p, double* __restrict__ out, int n) {
    double alpha = g_sum[0] / g_sum[1];
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) out[i] = x[i] + alpha * p[i];
}

__global__ void __launch_bounds__(256) residual(const double* __restrict__ r, double* __restrict__ out, int n) {
    double alpha = g_sum[0] / g_sum[1], v2 = 0.0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        double v = r[i] - alpha * g_q[i];
        out[i] = v;
        v2 += v * v;
    }
    add_all(v2, &g_sum[2]);
}

__global__ void direction(const double* __restrict__ p, const double* __restrict__ r, double* __restrict__ out, int n) {
    double beta = g_sum[2] / g_sum[0];
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) out[i] = r[i] + beta * p[i];
}

extern "C" void cg_step(const double* x, const double* r, const double* p, double* out, int H, int W, cudaStream_t stream) {
    static cudaStream_t side = nullptr;
    static cudaEvent_t ready, done;
    if (!side) {
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    }
    int n = H * W;
    void* sums;
    cudaGetSymbolAddress(&sums, g_sum);
    cudaMemsetAsync(sums, 0, 3 * sizeof(double), stream);
    matvec<<<528, 256, 0, stream>>>(r, p, H, W);
    cudaEventRecord(ready, stream);
    cudaStreamWaitEvent(side, ready, 0);
    solution<<<264, 256, 0, side>>>(x, p, out, n);
    cudaEventRecord(done, side);
    residual<<<528, 256, 0, stream>>>(r, out + n, n);
    direction<<<528, 256, 0, stream>>>(p, out + n, out + 2 * n, n);
    cudaStreamWaitEvent(stream, done, 0);
}
