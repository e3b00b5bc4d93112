// A part of the device's interface, see sm_35_intrinsics.h.
#pragma once

#include "sm_35_intrinsics.h"
