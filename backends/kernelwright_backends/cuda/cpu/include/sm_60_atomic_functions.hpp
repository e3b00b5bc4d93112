// A part of the device's interface, see sm_60_atomic_functions.h.
#pragma once

#include "sm_60_atomic_functions.h"
