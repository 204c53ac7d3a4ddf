// The same program in C++.
#include "const_client.c"
