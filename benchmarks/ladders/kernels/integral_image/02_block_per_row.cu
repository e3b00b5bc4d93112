// kernelwright: task=../../tasks/integral_image.py entry=integral args="x, out, x.shape[0], x.shape[1]"
// a block scans a row by shuffles, four pixels a thread; columns as before, eight rows loaded ahead
#include <cuda_runtime.h>

__global__ void __launch_bounds__(256) ir_rows(const uchar4* __restrict__ x, int4* __restrict__ out) {
    __shared__ int w[8];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    uchar4 p = x[i];
    int a = p.x, b = a + p.y, c = b + p.z, d = c + p.w, s = d;
#pragma unroll
    for (int o = 1; o < 32; o *= 2) {
        int v = __shfl_up_sync(~0u, s, o);
        if (t % 32 >= o) s += v;
    }
    if (t % 32 == 31) w[t / 32] = s;
    __syncthreads();
    s -= d;
    for (int k = 0; k < t / 32; ++k) s += w[k];
    out[i] = make_int4(s + a, s + b, s + c, s + d);
}
__global__ void __launch_bounds__(64) ir_columns(int* out, int h) {
    int* p = out + (size_t)blockIdx.y * h * 1024 + blockIdx.x * 64 + threadIdx.x;
    int s = 0;
    for (int r = 0; r < h; r += 8) {
        int v[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) v[k] = p[(r + k) * 1024];
#pragma unroll
        for (int k = 0; k < 8; ++k) p[(r + k) * 1024] = s += v[k];
    }
}
extern "C" void integral(const unsigned char* x, int* out, int images, int h, cudaStream_t stream) {
    ir_rows<<<images * h, 256, 0, stream>>>((const uchar4*)x, (int4*)out);
    ir_columns<<<dim3(16, images), 64, 0, stream>>>(out, h);
}
