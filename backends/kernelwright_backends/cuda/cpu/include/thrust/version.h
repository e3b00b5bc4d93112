// The version of Thrust that these headers answer for.
#pragma once

#define THRUST_VERSION 200700
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 7
#define THRUST_SUBMINOR_VERSION 0
#define THRUST_PATCH_NUMBER 0
