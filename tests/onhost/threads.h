// What kernels on the host and the threads that run them know of each other.
#pragma once
#include <cstddef>

extern "C" {
struct emu_dim3 { unsigned x, y, z; };
extern emu_dim3 emu_threadIdx, emu_blockIdx, emu_blockDim, emu_gridDim;
extern char *emu_dynamic;
void emu_wait_block();
void emu_wait_warp();
void emu_exchange(unsigned mask, unsigned from, void *words, size_t size);
unsigned emu_ballot(unsigned mask, int own);
}
