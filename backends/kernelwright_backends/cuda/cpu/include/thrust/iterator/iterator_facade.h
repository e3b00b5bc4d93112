// A part of Thrust, see kernelwright/thrust/adaptors.h.
#pragma once

#include "../../kernelwright/thrust/adaptors.h"
