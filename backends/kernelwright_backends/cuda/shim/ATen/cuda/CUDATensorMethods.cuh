// What older extensions include for numbers of 16 bits.
#pragma once

#include <ATen/ATen.h>
#include <cuda_fp16.h>
