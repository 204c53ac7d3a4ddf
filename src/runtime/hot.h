// Which runtime functions are optimised for speed. Freestanding.
#pragma once

/// The runtime is compiled for size, as most of it is compiled anew in each kernel that uses it and waits for memory
/// anyway. A hot function is not: linkRuntime() leaves the attribute out that says so, and the kernel's own pipeline
/// optimises it as it does the kernel. It stays a function of its own, as callers are optimised for size.
#define SPC_HOT __attribute__((hot, noinline))
