// kernelwright: task=../../tasks/pixel_shuffle_half.py entry=pixel_shuffle args="x, out, x.shape[0], x.shape[1], x.shape[2], x.shape[3]"
// eight halves of each of two planes a thread, woven together with byte permutations into two stores of 16 bytes
#include <cuda_fp16.h>

__global__ void __launch_bounds__(256) ps_weave(const uint4* __restrict__ x, uint4* __restrict__ out, int h, int w8, int total) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= total) return;
    int z = i % w8, y = i / w8 % h, q = i / w8 / h;
    uint4 a = x[((size_t)q * 2 * h + y) * w8 + z], b = x[((size_t)(q * 2 + 1) * h + y) * w8 + z];
    uint4* o = out + ((size_t)(q / 2 * h + y) * 2 + q % 2) * 2 * w8 + 2 * z;
    o[0] = make_uint4(__byte_perm(a.x, b.x, 0x5410), __byte_perm(a.x, b.x, 0x7632), __byte_perm(a.y, b.y, 0x5410), __byte_perm(a.y, b.y, 0x7632));
    o[1] = make_uint4(__byte_perm(a.z, b.z, 0x5410), __byte_perm(a.z, b.z, 0x7632), __byte_perm(a.w, b.w, 0x5410), __byte_perm(a.w, b.w, 0x7632));
}
extern "C" void pixel_shuffle(const __half* x, __half* out, int n, int c, int h, int w, cudaStream_t stream) {
    int total = n * c / 2 * h * (w / 8);
    ps_weave<<<(total + 255) / 256, 256, 0, stream>>>((const uint4*)x, (uint4*)out, h, w / 8, total);
}
