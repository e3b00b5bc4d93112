// A part of Thrust, see kernelwright/thrust/resources.h.
#pragma once

#include "../../kernelwright/thrust/resources.h"
