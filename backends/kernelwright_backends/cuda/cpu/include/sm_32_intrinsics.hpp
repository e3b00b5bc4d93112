// A part of the device's interface, see sm_32_intrinsics.h.
#pragma once

#include "sm_32_intrinsics.h"
