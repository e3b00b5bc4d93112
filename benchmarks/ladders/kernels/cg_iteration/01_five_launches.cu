// kernelwright: task=../../tasks/cg_iteration.py entry=cg_step args="x, r, p, out, x.shape[0], x.shape[1]"
// q = A p stored, dots with atomics, then the updates: clear, matvec, dot rr, dot pq, update, new p
#include <cuda_runtime.h>

__device__ double g_q[1000 * 1200];
__device__ double g_sum[3];

__global__ void clear() { if (threadIdx.x < 3) g_sum[threadIdx.x] = 0.0; }

__global__ void matvec(const double* p, int H, int W) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= H * W) return;
    int y = i / W, x = i % W;
    double q = 4.0 * p[i];
    if (y > 0) q -= p[i - W];
    if (y < H - 1) q -= p[i + W];
    if (x > 0) q -= p[i - 1];
    if (x < W - 1) q -= p[i + 1];
    g_q[i] = q;
}

__global__ void dot(const double* a, const double* b, int which, int n) {
    __shared__ double s[256];
    double v = 0.0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += a[i] * (b ? b[i] : g_q[i]);
    s[threadIdx.x] = v;
    __syncthreads();
    for (int k = 128; k; k /= 2) {
        if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(&g_sum[which], s[0]);
}

__global__ void update(const double* x, const double* r, const double* p, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double alpha = g_sum[0] / g_sum[1];
    out[i] = x[i] + alpha * p[i];
    out[n + i] = r[i] - alpha * g_q[i];
}

__global__ void direction(const double* p, double* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[2 * n + i] = out[n + i] + g_sum[2] / g_sum[0] * p[i];
}

extern "C" void cg_step(const double* x, const double* r, const double* p, double* out, int H, int W, cudaStream_t stream) {
    int n = H * W, blocks = (n + 255) / 256;
    clear<<<1, 32, 0, stream>>>();
    matvec<<<blocks, 256, 0, stream>>>(p, H, W);
    dot<<<264, 256, 0, stream>>>(r, r, 0, n);
    dot<<<264, 256, 0, stream>>>(p, nullptr, 1, n);
    update<<<blocks, 256, 0, stream>>>(x, r, p, out, n);
    dot<<<264, 256, 0, stream>>>(out + n, out + n, 2, n);
    direction<<<blocks, 256, 0, stream>>>(p, out, n);
}
