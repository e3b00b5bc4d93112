// A part of the device's interface, see sm_32_atomic_functions.h.
#pragma once

#include "sm_32_atomic_functions.h"
