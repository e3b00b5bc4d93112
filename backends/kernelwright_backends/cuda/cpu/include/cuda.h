// The driver interface is not executed; its header is included by habit.
#pragma once

#include "driver_types.h"
