#pragma once

#include <kernelwright/float8.h>
