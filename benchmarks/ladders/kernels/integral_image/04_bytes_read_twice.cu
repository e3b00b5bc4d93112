// kernelwright: task=../../tasks/integral_image.py entry=integral args="x, out, x.shape[0], x.shape[1]"
// column sums of strips from the bytes, their scan down and across, then one pass that writes
#include <cuda_runtime.h>

__device__ int4 ib_carry[8 * 32 * 256];

__device__ __forceinline__ int4 ib_add(int4 s, uchar4 p) { return make_int4(s.x + p.x, s.y + p.y, s.z + p.z, s.w + p.w); }

__global__ void __launch_bounds__(256) ib_sums(const uchar4* __restrict__ x) {
    const uchar4* p = x + (size_t)blockIdx.x * 32 * 256 + threadIdx.x;
    int4 s = make_int4(0, 0, 0, 0);
#pragma unroll 16
    for (int r = 0; r < 32; ++r) s = ib_add(s, p[r * 256]);
    ib_carry[blockIdx.x * 256 + threadIdx.x] = s;
}
__global__ void __launch_bounds__(64) ib_carries(int strips) {
    int4* p = ib_carry + (size_t)blockIdx.y * strips * 256 + blockIdx.x * 64 + threadIdx.x;
    int4 s = make_int4(0, 0, 0, 0);
    for (int r = 0; r < strips; ++r) {
        int4 v = p[r * 256];
        p[r * 256] = s;
        s = make_int4(s.x + v.x, s.y + v.y, s.z + v.z, s.w + v.w);
    }
}
__global__ void __launch_bounds__(256) ib_write(const uchar4* __restrict__ x, int4* __restrict__ out) {
    __shared__ int w[2][8];
    int t = threadIdx.x;
    size_t at = (size_t)blockIdx.x * 32 * 256 + t;
    int4 s = ib_carry[blockIdx.x * 256 + t];
    uchar4 next = x[at];
    for (int r = 0; r < 32; ++r) {
        s = ib_add(s, next);
        if (r < 31) next = x[at + (r + 1) * 256];
        int a = s.x, b = a + s.y, c = b + s.z, d = c + s.w, sum = d;
#pragma unroll
        for (int o = 1; o < 32; o *= 2) {
            int v = __shfl_up_sync(~0u, sum, o);
            if (t % 32 >= o) sum += v;
        }
        if (t % 32 == 31) w[r % 2][t / 32] = sum;
        __syncthreads();
        sum -= d;
        for (int k = 0; k < t / 32; ++k) sum += w[r % 2][k];
        out[at + r * 256] = make_int4(sum + a, sum + b, sum + c, sum + d);
    }
}
extern "C" void integral(const unsigned char* x, int* out, int images, int h, cudaStream_t stream) {
    ib_sums<<<images * h / 32, 256, 0, stream>>>((const uchar4*)x);
    ib_carries<<<dim3(4, images), 64, 0, stream>>>(h / 32);
    ib_write<<<images * h / 32, 256, 0, stream>>>((const uchar4*)x, (int4*)out);
}
