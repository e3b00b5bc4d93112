// A part of Thrust, see kernelwright/thrust/memory.h.
#pragma once

#include "../../../kernelwright/thrust/memory.h"
