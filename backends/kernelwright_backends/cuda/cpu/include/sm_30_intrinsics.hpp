// A part of the device's interface, see sm_30_intrinsics.h.
#pragma once

#include "sm_30_intrinsics.h"
