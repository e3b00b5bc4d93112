// kernelwright: task=../../tasks/integral_image.py entry=integral args="x, out, x.shape[0], x.shape[1]"
// rows as before; the columns of strips of 32 rows are summed, the sums added up, the strips walked again
#include <cuda_runtime.h>

__device__ int is_carry[8 * 32 * 1024];

__global__ void __launch_bounds__(256) is_rows(const uchar4* __restrict__ x, int4* __restrict__ out) {
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
__global__ void __launch_bounds__(128) is_sums(const int* __restrict__ out) {
    int c = blockIdx.x * 128 + threadIdx.x, s = 0;
    const int* p = out + (size_t)blockIdx.y * 32 * 1024 + c;
#pragma unroll
    for (int r = 0; r < 32; ++r) s += p[r * 1024];
    is_carry[blockIdx.y * 1024 + c] = s;
}
__global__ void __launch_bounds__(128) is_carries(int strips) {
    int c = blockIdx.x * 128 + threadIdx.x, s = 0;
    int* p = is_carry + (size_t)blockIdx.y * strips * 1024 + c;
    for (int r = 0; r < strips; ++r) {
        int v = p[r * 1024];
        p[r * 1024] = s;
        s += v;
    }
}
__global__ void __launch_bounds__(128) is_add(int* out) {
    int c = blockIdx.x * 128 + threadIdx.x, s = is_carry[blockIdx.y * 1024 + c], v[32];
    int* p = out + (size_t)blockIdx.y * 32 * 1024 + c;
#pragma unroll
    for (int r = 0; r < 32; ++r) v[r] = p[r * 1024];
#pragma unroll
    for (int r = 0; r < 32; ++r) p[r * 1024] = s += v[r];
}
extern "C" void integral(const unsigned char* x, int* out, int images, int h, cudaStream_t stream) {
    is_rows<<<images * h, 256, 0, stream>>>((const uchar4*)x, (int4*)out);
    is_sums<<<dim3(8, images * h / 32), 128, 0, stream>>>(out);
    is_carries<<<dim3(8, images), 128, 0, stream>>>(h / 32);
    is_add<<<dim3(8, images * h / 32), 128, 0, stream>>>(out);
}
