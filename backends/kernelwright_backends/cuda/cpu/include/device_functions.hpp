// A part of the device's interface, see device_functions.h.
#pragma once

#include "device_functions.h"
