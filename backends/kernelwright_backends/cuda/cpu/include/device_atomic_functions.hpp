// A part of the device's interface, see device_atomic_functions.h.
#pragma once

#include "device_atomic_functions.h"
