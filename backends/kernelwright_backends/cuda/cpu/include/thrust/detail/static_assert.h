// A part of Thrust, see kernelwright/thrust/memory.h.
#pragma once

#include "../../kernelwright/thrust/memory.h"

#define THRUST_STATIC_ASSERT(...) static_assert(__VA_ARGS__)
#define THRUST_STATIC_ASSERT_MSG(condition, message) static_assert(condition, message)
