// kernelwright: task=../../tasks/reset_scan.py entry=reset_scan args="x, flag, out, x.shape[0], x.shape[1]"
// a block of 512 a row, 512 elements at a time by nine doublings in shared memory
#include <cuda_runtime.h>

__global__ void __launch_bounds__(512) rs_double(const float* x, const unsigned char* flag, float* out, int d) {
    __shared__ float v[2][512];
    __shared__ unsigned char f[2][512];
    __shared__ float carry;
    int t = threadIdx.x, at = 0;
    size_t base = (size_t)blockIdx.x * d;
    if (t == 0) carry = 0.f;
    for (int i0 = 0; i0 < d; i0 += 512) {
        v[at][t] = x[base + i0 + t];
        f[at][t] = flag[base + i0 + t];
        __syncthreads();
        for (int o = 1; o < 512; o *= 2) {
            float a = v[at][t];
            unsigned char g = f[at][t];
            if (t >= o) {
                if (!g) a += v[at][t - o];
                g |= f[at][t - o];
            }
            at ^= 1;
            v[at][t] = a;
            f[at][t] = g;
            __syncthreads();
        }
        float s = v[at][t] + (f[at][t] ? 0.f : carry);
        out[base + i0 + t] = s;
        __syncthreads();
        if (t == 511) carry = s;
        at ^= 1;
    }
}
extern "C" void reset_scan(const float* x, const unsigned char* flag, float* out, int rows, int d, cudaStream_t stream) {
    rs_double<<<rows, 512, 0, stream>>>(x, flag, out, d);
}
