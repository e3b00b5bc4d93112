#pragma once

#include <ATen/cuda/cub.cuh>
