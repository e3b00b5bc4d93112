// Sizes and strides of a tensor as a kernel takes them by value.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace at::cuda::detail {

constexpr int MAX_TENSORINFO_DIMS = 25;

template <class T, class Index>
struct TensorInfo {
  TensorInfo() : data(nullptr), dims(0) {}
  TensorInfo(T* at, int count, Index* given_sizes, Index* given_strides) : data(at), dims(count) {
    TORCH_CHECK(count < MAX_TENSORINFO_DIMS, "CUDA Tensors cannot have more than 25 dimensions");
    for (int d = 0; d < count; ++d) {
      sizes[d] = given_sizes[d];
      strides[d] = given_strides[d];
    }
  }
  void reduceDim(int d) { sizes[d] = 1; }
  bool isContiguous() const { return dims == 1 && strides[0] == 1; }

  // Makes one dimension of those that lie in one row, but for `excluded`, whose new place it returns.
  int collapseDims(const int excluded = -1) {
    int kept = 0, place = -1;
    for (int d = 0; d < dims; ++d) {
      if (sizes[d] == 1 && d != excluded) continue;
      const bool joins = kept > 0 && d != excluded && place != kept - 1 && strides[kept - 1] == sizes[d] * strides[d];
      if (joins) {
        sizes[kept - 1] *= sizes[d];
        strides[kept - 1] = strides[d];
      } else {
        sizes[kept] = sizes[d];
        strides[kept] = strides[d];
        if (d == excluded) place = kept;
        ++kept;
      }
    }
    if (kept == 0) {
      sizes[0] = 1;
      strides[0] = 1;
      kept = 1;
    }
    dims = kept;
    return place;
  }

  T* data;
  Index sizes[MAX_TENSORINFO_DIMS];
  Index strides[MAX_TENSORINFO_DIMS];
  int dims;
};

// Where the element of a linear index lies. `Dims`: their number where it is known, -1 where it is not.
template <class T, class Index, int Dims>
struct IndexToOffset {
  static KW_HOST_DEVICE Index get(Index linear, const TensorInfo<T, Index>& info) {
    Index offset = 0;
    const int dims = Dims > 0 ? Dims : info.dims;
    for (int d = dims - 1; d > 0; --d) {
      offset += linear % info.sizes[d] * info.strides[d];
      linear /= info.sizes[d];
    }
    return offset + linear * info.strides[0];
  }
};

template <class T, class Index>
TensorInfo<T, Index> getTensorInfo(const Tensor& tensor) {
  Index sizes[MAX_TENSORINFO_DIMS], strides[MAX_TENSORINFO_DIMS];
  const int dims = static_cast<int>(tensor.dim());
  for (int d = 0; d < dims; ++d) {
    sizes[d] = static_cast<Index>(tensor.size(d));
    strides[d] = static_cast<Index>(tensor.stride(d));
  }
  return TensorInfo<T, Index>(tensor.data_ptr<T>(), dims, sizes, strides);
}

}  // namespace at::cuda::detail
