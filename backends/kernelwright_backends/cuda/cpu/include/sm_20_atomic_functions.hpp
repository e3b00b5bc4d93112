// A part of the device's interface, see sm_20_atomic_functions.h.
#pragma once

#include "sm_20_atomic_functions.h"
