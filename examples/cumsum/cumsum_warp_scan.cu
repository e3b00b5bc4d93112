// kernelwright: task=cumsum.py entry=cumsum
// One block a row, in chunks of a block: scan within warps by shuffles, scan of the warps' totals, carry to the next chunk.
#include <torch/extension.h>

template <typename T>
__device__ __forceinline__ T scan_of_warp(T value) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
        const T before = __shfl_up_sync(0xffffffffu, value, offset);
        if (lane >= offset) {
            value += before;
        }
    }
    return value;
}

template <typename T, int BLOCK>
__global__ void __launch_bounds__(BLOCK) cumsum_kernel(const T* __restrict__ x, T* __restrict__ y, int length) {
    static_assert(BLOCK % 32 == 0 && BLOCK <= 1024, "whole warps, whose totals one warp can scan");
    __shared__ T total_of_warp[BLOCK / 32];
    const T* in = x + int64_t(blockIdx.x) * length;
    T* out = y + int64_t(blockIdx.x) * length;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T carry = T(0);
    for (int start = 0; start < length; start += BLOCK) {
        const int i = start + threadIdx.x;
        T value = scan_of_warp(i < length ? in[i] : T(0));
        if (lane == 31) {
            total_of_warp[warp] = value;
        }
        __syncthreads();
        if (warp == 0) {
            const T total = scan_of_warp(lane < BLOCK / 32 ? total_of_warp[lane] : T(0));
            if (lane < BLOCK / 32) {
                total_of_warp[lane] = total;
            }
        }
        __syncthreads();
        value += carry + (warp > 0 ? total_of_warp[warp - 1] : T(0));
        if (i < length) {
            out[i] = value;
        }
        carry += total_of_warp[BLOCK / 32 - 1];
        __syncthreads();
    }
}

torch::Tensor cumsum(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2 && x.is_contiguous(), "x must be a contiguous matrix");
    auto y = torch::empty_like(x);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "cumsum", [&] {
        cumsum_kernel<scalar_t, 256>
            <<<x.size(0), 256>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), int(x.size(1)));
    });
    return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("cumsum", &cumsum, "cumulative sum along the rows");
}
