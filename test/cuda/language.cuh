#pragma once
#define FACTOR (1 + 1)
