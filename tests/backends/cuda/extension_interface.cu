// PyTorch's C++ interface as launchers use it: what is asked and allocated, in the spellings that people have for it.
#include <ATen/ATen.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/NumericUtils.h>
#include <ATen/Parallel.h>
#include <ATen/TensorUtils.h>
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/DeviceUtils.cuh>
#include <ATen/cuda/detail/IndexUtils.cuh>
#include <ATen/cuda/detail/KernelUtils.h>
#include <ATen/cuda/detail/TensorInfo.cuh>
#include <ATen/native/cuda/KernelUtils.cuh>
#include <ATen/ops/empty_like.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/MathConstants.h>
#include <torch/extension.h>
#include <torch/script.h>

// Not one of these is PyTorch's own: an empty macro before a qualifier.
#define LIBRARY_LOCAL

template <typename scalar_t, typename index_t>
LIBRARY_LOCAL C10_LAUNCH_BOUNDS_1(256) __global__
    void doubled_kernel(at::cuda::detail::TensorInfo<scalar_t, index_t> x, scalar_t* y, index_t n) {
  CUDA_KERNEL_LOOP_TYPE(i, n, index_t) {
    const auto at = at::cuda::detail::IndexToOffset<scalar_t, index_t, -1>::get(i, x);
    const float value = static_cast<float>(x.data[at]);
    y[i] = static_cast<scalar_t>(at::_isnan(value) ? 0.f : 2.f * value);
  }
}

template <typename scalar_t>
__global__ void counted_kernel(const scalar_t* x, scalar_t* sums, float* total, int n) {
  CUDA_KERNEL_LOOP(i, n) {
    gpuAtomicAdd(&sums[i % 2], x[i]);
    at::native::fastAtomicAdd(total, 0, 1, static_cast<float>(x[i]) * c10::pi<float>, true);
  }
}

struct Counted : torch::CustomClassHolder {
  int count = 3;
};

// A function with a gradient of its own: nothing records one here.
struct Kept : torch::autograd::Function<Kept> {
  static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& x, int times) {
    ctx->save_for_backward({x});
    ctx->saved_data["times"] = times;
    ctx->saved_data["scale"] = 0.5f;
    ctx->saved_data["counted"] = torch::intrusive_ptr<Counted>(c10::make_intrusive<Counted>());
    TORCH_CHECK(ctx->saved_data["counted"].toCustomClass<Counted>()->count == 3);
    TORCH_CHECK(!ctx->needs_input_grad(0) && ctx->saved_data["none"].isNone());
    TORCH_CHECK(ctx->saved_data["times"].toInt() == times && ctx->saved_data["scale"].to<float>() == 0.5f);
    return ctx->get_saved_variables()[0];
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext*, torch::autograd::tensor_list gradients) {
    return {gradients[0], torch::Tensor()};
  }
};

// As a header has it that includes no more than PyTorch's: <ATen/cuda/CUDAContext.h> brings the types of cuBLAS.
inline const char* name_of(cublasStatus_t status) { return status == CUBLAS_STATUS_SUCCESS ? "success" : "failure"; }

static void looked_at(const at::Tensor& x) {
  const at::TensorArg arg{x, "x", 1};
  at::checkAllSameGPU("doubled", {arg, arg});
  at::checkDim("doubled", arg, x.dim());
  at::checkContiguous("doubled", at::TensorArg(arg));
  TORCH_CHECK_GE(x.dim(), 1);
  TORCH_CHECK(x.suggest_memory_format() == at::MemoryFormat::Contiguous, c10::str("strides ", x.strides()));
  TORCH_CHECK(at::promote_types(x.scalar_type(), at::kBool) == x.scalar_type());
  TORCH_CHECK(c10::multiply_integers(x.sizes()) == x.numel() && c10::ceil_div(5, 2) == 3);
  TORCH_CHECK(x.storage().data() == x.data_ptr() && x.storage_offset() == 0);
  if (at::globalContext().deterministicAlgorithms()) std::cout << x.sizes() << x.dtype() << x.device() << std::endl;
  try {
    throw c10::TypeError({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, c10::str("type ", 1));
  } catch (const c10::Error& error) {
    TORCH_CHECK(error.msg() == "type 1");
  }
  TORCH_CHECK(Kept::apply(x, 3).data_ptr() == x.data_ptr() && name_of(CUBLAS_STATUS_SUCCESS)[0] == 's');
  at::parallel_for(0, 4, 1, [](int64_t begin, int64_t end) { TORCH_CHECK(begin < end); });
}

torch::Tensor doubled(torch::Tensor x) {
  const at::DeviceGuard guard(x.device());
  const c10::cuda::OptionalCUDAGuard other(at::device_of(x));
  looked_at(x);
  auto stream = torch::cuda::getCurrentCUDAStream();
  at::cuda::CUDAEvent before, after;
  before.record(stream);
  auto y = at::empty_like(x, at::MemoryFormat::Contiguous);
  const int n = static_cast<int>(x.numel());
  TORCH_CHECK(at::cuda::detail::canUse32BitIndexMath(x));
  AT_DISPATCH_V2(x.scalar_type(), "doubled", AT_WRAP([&] {
                   auto info = at::cuda::detail::getTensorInfo<scalar_t, int>(x);
                   info.collapseDims();
                   doubled_kernel<scalar_t, int><<<at::cuda::detail::GET_BLOCKS(n, 256), 256, 0, stream>>>(
                       info, y.data_ptr<scalar_t>(), n);
                 }),
                 AT_EXPAND(AT_FLOATING_TYPES), at::kHalf, at::kBFloat16);
  auto workspace = c10::cuda::CUDACachingAllocator::get()->allocate(2 * sizeof(float));
  auto total = torch::zeros({1}, torch::dtype(torch::kFloat).device(x.device()));
  C10_CUDA_CHECK(cudaMemsetAsync(workspace.get(), 0, 2 * sizeof(float), stream));
  if (x.scalar_type() == at::kFloat)
    counted_kernel<float><<<1, 32, 0, stream>>>(y.data_ptr<float>(), static_cast<float*>(workspace.get()),
                                                total.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  after.record();
  after.block(stream);
  at::cuda::stream_synchronize(stream);
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("doubled", &doubled, "twice x", py::arg("x")); }
