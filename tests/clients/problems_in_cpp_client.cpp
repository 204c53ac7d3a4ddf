// The same program in C++.
#include "problems_client.c"
