// A part of Thrust, see kernelwright/thrust/policies.h.
#pragma once

#include "../../../../kernelwright/thrust/policies.h"
