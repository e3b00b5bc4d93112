#pragma once

#include <ATen/AccumulateType.h>
#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/OpMathType.h>
#include <ATen/ceil_div.h>
#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>
#include <c10/util/Optional.h>
#include <c10/util/SmallVector.h>
#include <c10/util/irange.h>
#include <c10/util/string_view.h>

namespace at {

// The device of a tensor, for OptionalCUDAGuard(device_of(x)).
inline optional<Device> device_of(const Tensor& x) { return x.defined() ? optional<Device>(x.device()) : nullopt; }

}  // namespace at
