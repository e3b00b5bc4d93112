#pragma once

#include <ATen/cuda/DeviceUtils.cuh>
