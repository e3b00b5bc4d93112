// The device language, by the name of older toolkits.
#pragma once

#include "kernelwright/device.h"
