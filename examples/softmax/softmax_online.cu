// kernelwright: task=softmax.py entry=softmax
// One block a row. Largest element and sum of exponentials come from one pass (each thread rescales its sum
// whenever it meets a larger element), are joined by warp shuffles, then across warps through shared memory.
#include <torch/extension.h>

struct Partial {
    float largest;
    float sum;
};

__device__ __forceinline__ Partial join(Partial a, Partial b) {
    const float largest = fmaxf(a.largest, b.largest);
    if (largest == -INFINITY) {
        return {largest, 0.0f};
    }
    return {largest, a.sum * __expf(a.largest - largest) + b.sum * __expf(b.largest - largest)};
}

__device__ __forceinline__ Partial join_warp(Partial p) {
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
        const Partial other = {__shfl_xor_sync(0xffffffffu, p.largest, offset),
                               __shfl_xor_sync(0xffffffffu, p.sum, offset)};
        p = join(p, other);
    }
    return p;
}

template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) softmax_kernel(const float* __restrict__ x, float* __restrict__ y, int columns) {
    __shared__ Partial of_warp[BLOCK / 32];
    const float* in = x + int64_t(blockIdx.x) * columns;
    float* out = y + int64_t(blockIdx.x) * columns;

    Partial p = {-INFINITY, 0.0f};
    for (int c = threadIdx.x; c < columns; c += BLOCK) {
        p = join(p, {in[c], 1.0f});
    }
    p = join_warp(p);
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = p;
    }
    __syncthreads();
    const int lane = threadIdx.x % 32;
    p = lane < BLOCK / 32 ? of_warp[lane] : Partial{-INFINITY, 0.0f};
    p = join_warp(p);

    const float scale = 1.0f / p.sum;
    for (int c = threadIdx.x; c < columns; c += BLOCK) {
        out[c] = expf(in[c] - p.largest) * scale;
    }
}

torch::Tensor softmax(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.is_contiguous(), "x must be a contiguous matrix");
    auto y = torch::empty_like(x);
    constexpr int block = 256;
    softmax_kernel<block><<<x.size(0), block>>>(x.data_ptr<float>(), y.data_ptr<float>(), int(x.size(1)));
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("softmax", &softmax, "softmax over the rows");
}
