// A bare kernel: the directive says what the host would do.
// kernelwright: task=relu.py entry="relu<float>" args="x, out, x.numel()" \
//     grid="min(ceil_div(x.numel(), 256), 2112)" block="256"
#include <cuda_runtime.h>

template <typename T>
__global__ void __launch_bounds__(256) relu(const T* __restrict__ x, T* __restrict__ y, long long n) {
    const long long stride = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const T value = x[i];
        y[i] = value > T(0) ? value : T(0);
    }
}
