// A part of the device's interface, see sm_61_intrinsics.h.
#pragma once

#include "sm_61_intrinsics.h"
