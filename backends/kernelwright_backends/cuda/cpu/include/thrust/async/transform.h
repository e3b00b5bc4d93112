// A part of Thrust, see kernelwright/thrust/async.h.
#pragma once

#include "../../kernelwright/thrust/async.h"
