// A file in the style of the extensions that people write, as far as it runs without a device.
#include <ATen/cuda/Atomic.cuh>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/NumericLimits.cuh>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/custom_class.h>
#include <torch/extension.h>

#include <cstdio>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")

template <typename scalar_t>
static void relu(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t count) {
  using accumulate_t = at::acc_type<scalar_t, true>;
  static_assert(std::is_same_v<at::opmath_type<at::Half>, float>, "computed in float");
  for (int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<accumulate_t>(x[i]);
    y[i] = value > accumulate_t(0) ? x[i] : scalar_t(0);
  }
}
template <typename scalar_t>
static void transpose(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
                      torch::PackedTensorAccessor64<scalar_t, 2, torch::RestrictPtrTraits> y) {
  for (int i = 0; i < x.size(0); ++i) {
    for (int j = 0; j < x.size(1); ++j) y[j][i] = x[i][j];
  }
}

torch::Tensor forward(torch::Tensor x, c10::optional<torch::Tensor> bias = c10::nullopt, double scale = 1.0) {
  CHECK_CUDA(x);
  CHECK_CONTIGUOUS(x);
  const at::cuda::OptionalCUDAGuard device_guard(device_of(x));
  const c10::cuda::CUDAGuard guard(x.device());
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  const auto options = torch::TensorOptions().dtype(x.dtype()).device(x.device()).requires_grad(false);
  auto y = torch::empty({x.size(0), x.size(1)}, options);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "relu", ([&] {
                                    relu<scalar_t>(x.data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), x.numel());
                                  }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  AT_CUDA_CHECK(cudaGetLastError());
  (void)stream, (void)bias, (void)scale;
  return y;
}
std::vector<at::Tensor> both(const at::Tensor& x) {
  auto turned = at::empty({x.size(1), x.size(0)}, x.options());
  AT_DISPATCH_ALL_TYPES(x.type(), "transpose", [&] {
    transpose<scalar_t>(x.packed_accessor32<scalar_t, 2, at::RestrictPtrTraits>(),
                        turned.packed_accessor64<scalar_t, 2, at::RestrictPtrTraits>());
  });
  return {x, turned};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, "relu (CUDA)", py::arg("x"), py::arg("bias") = py::none(), py::arg("scale") = 1.0);
  m.def("twice", [](torch::Tensor x) { return forward(forward(x)); });
}
TORCH_LIBRARY(kernels, m) { m.def("both(Tensor x) -> Tensor[]", &both); }
TORCH_LIBRARY_IMPL(kernels, CUDA, m) { m.impl(TORCH_SELECTIVE_NAME("kernels::both"), TORCH_FN(both)); }

struct Scaler : torch::CustomClassHolder {
  explicit Scaler(double by) : by(by) {}
  ~Scaler() override { std::printf("scaled by %g\n", by); }
  double by;
};
TORCH_LIBRARY_FRAGMENT(kernels, m) {
  m.class_<Scaler>("Scaler").def(torch::init<double>()).def("by", [](const c10::intrusive_ptr<Scaler>& self) { return self->by; });
  m.def(TORCH_SELECTIVE_SCHEMA("kernels::scaled(Tensor x) -> Tensor"));
}

extern "C" int live_device_allocations();

template <class Result>
static void hand_back(const Result& result) {
  kw_for_each_result(result, [](const at::Tensor& tensor) {
    kw_tensor view;
    kw_unwrap(tensor, &view);
    std::printf("dtype %d, %ld x %ld, strides %ld %ld\n", view.dtype, view.size[0], view.size[1], view.stride[0],
                view.stride[1]);
  });
}

static c10::SymInt x_elements() { return 6; }

int main() {
  {
    for (const auto dtype : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16}) {
      auto x = torch::full({2, 3}, -2, torch::dtype(dtype).device(torch::kCUDA, 0));
      x[1].fill_(1.5);
      auto y = forward(x);
      std::printf("%s %g %g\n", y.toString().c_str(), y[0][2].item().toDouble(), y[1][0].item<double>());
    }
    kw_tensor given{kw_malloc(24), 6, 2, {2, 3}, {3, 1}};
    for (int i = 0; i < 6; ++i) static_cast<float*>(given.data)[i] = static_cast<float>(i);
    hand_back(both(kw_wrap(given)));
    hand_back(std::make_tuple(kw_wrap(given), torch::ones({1, 1}, torch::kCUDA)));
    kw_free(given.data);
    __half sum = __float2half(1.0f);
    c10::Half step(0.5f);
    gpuAtomicAdd(reinterpret_cast<c10::Half*>(&sum), step);
    std::printf("%g %g\n", static_cast<double>(static_cast<float>(sum)), static_cast<double>(step * 3 + 1.0f));
    {
      auto scaler = c10::make_intrusive<Scaler>(2.0);
      c10::intrusive_ptr<torch::CustomClassHolder> held = scaler;
      std::printf("%zu references, bound %g\n", scaler.use_count(), static_cast<double>(at::numeric_limits<float>::lower_bound()));
    }
    std::printf("%d\n", at::cuda::getCurrentDeviceProperties()->multiProcessorCount);
    const std::vector<c10::SymInt> sizes = {3, x_elements()};
    std::printf("%ld\n", static_cast<long>(c10::SymIntArrayRef(sizes)[1].expect_int() * sizes[0].expect_int() + 1));
  }
  return live_device_allocations();
}
