// A part of the device's interface, see sm_20_intrinsics.h.
#pragma once

#include "sm_20_intrinsics.h"
