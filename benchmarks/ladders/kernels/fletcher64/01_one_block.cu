// kernelwright: task=../../tasks/fletcher64.py entry=fletcher args="x, out, x.numel()"
// one block of 1024 for everything, a tree in shared memory
#include <cuda_runtime.h>

__global__ void fl_one(const int* x, long long* out, int n) {
    __shared__ long long s[1024], w[1024];
    int t = threadIdx.x;
    long long a = 0, b = 0;
    for (int i = t; i < n; i += 1024) {
        a += x[i];
        b += (long long)x[i] * (n - i);
    }
    s[t] = a;
    w[t] = b;
    for (int o = 512; o; o /= 2) {
        __syncthreads();
        if (t < o) {
            s[t] += s[t + o];
            w[t] += w[t + o];
        }
    }
    if (t == 0) {
        out[0] = s[0];
        out[1] = w[0];
    }
}
extern "C" void fletcher(const int* x, long long* out, int n, cudaStream_t stream) {
    fl_one<<<1, 1024, 0, stream>>>(x, out, n);
}
