// A part of the device's interface, see device_double_functions.h.
#pragma once

#include "device_double_functions.h"
