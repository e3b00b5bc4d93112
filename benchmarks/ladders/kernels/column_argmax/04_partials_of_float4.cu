// kernelwright: task=../../tasks/column_argmax.py entry=column_argmax args="x, out, x.shape[0], x.shape[1]"
// four columns a thread, 128 chunks of rows write partial maxima, a second launch ends them
#include <cuda_runtime.h>

__device__ float ca_best[128 * 2048];
__device__ int ca_at[128 * 2048];

__global__ void __launch_bounds__(128) ca_part(const float4* __restrict__ x, int rows, int cols4) {
    int c = blockIdx.x * 128 + threadIdx.x, chunk = (rows + 127) / 128, r0 = blockIdx.y * chunk, r1 = min(rows, r0 + chunk);
    if (c >= cols4) return;
    float4 v = make_float4(-1e30f, -1e30f, -1e30f, -1e30f);
    int4 a = make_int4(0, 0, 0, 0);
#pragma unroll 8
    for (int r = r0; r < r1; ++r) {
        float4 w = x[(size_t)r * cols4 + c];
        if (w.x > v.x) v.x = w.x, a.x = r;
        if (w.y > v.y) v.y = w.y, a.y = r;
        if (w.z > v.z) v.z = w.z, a.z = r;
        if (w.w > v.w) v.w = w.w, a.w = r;
    }
    ((float4*)ca_best)[blockIdx.y * cols4 + c] = v;
    ((int4*)ca_at)[blockIdx.y * cols4 + c] = a;
}
__global__ void __launch_bounds__(256) ca_end(int* __restrict__ out, int cols) {
    __shared__ float best[8][32];
    __shared__ int at[8][32];
    int j = threadIdx.x % 32, y = threadIdx.x / 32, c = blockIdx.x * 32 + j;
    float v = -1e30f;
    int a = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        float w = ca_best[(y * 16 + k) * cols + c];
        int b = ca_at[(y * 16 + k) * cols + c];
        if (w > v) v = w, a = b;
    }
    best[y][j] = v;
    at[y][j] = a;
    __syncthreads();
    if (y) return;
#pragma unroll
    for (int k = 1; k < 8; ++k)
        if (best[k][j] > v) v = best[k][j], a = at[k][j];
    out[c] = a;
}
extern "C" void column_argmax(const float* x, int* out, int rows, int cols, cudaStream_t stream) {
    ca_part<<<dim3((cols / 4 + 127) / 128, 128), 128, 0, stream>>>((const float4*)x, rows, cols / 4);
    ca_end<<<cols / 32, 256, 0, stream>>>(out, cols);
}
