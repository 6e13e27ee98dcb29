// The threads of a GPU on the host: one thread of the operating system is all of them in turns.
//
// A block's threads run one after the other where they have nothing to do with each other. Where a text waits for others
// (__syncthreads, shuffles of a warp), each is a fiber with a stack of its own, which goes on when all it waits for have come.
// The last block and its last thread are the first where ONHOST_BACKWARDS is set: a result that hangs on the order is another one then.

#include "threads.h"

#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
emu_dim3 emu_threadIdx, emu_blockIdx, emu_blockDim, emu_gridDim;
char *emu_dynamic;  // shared memory whose size the launch says
}

namespace {

enum State { RUNS, AT_BLOCK, AT_WARP, DONE };
constexpr size_t STACK = 256 << 10;

struct Fiber {
  ucontext_t context;
  std::vector<char> stack;
  State state;
  emu_dim3 place;
  unsigned value[4];  // what it shows the others of its warp
};

std::vector<Fiber *> fibers;
ucontext_t scheduler;
const bool backwards = std::getenv("ONHOST_BACKWARDS") != nullptr;
unsigned current, live;
void (*entry)(void **);
void **arguments;

emu_dim3 place(unsigned number, emu_dim3 size) {
  return {number % size.x, number / size.x % size.y, number / size.x / size.y};
}

void body() {
  entry(arguments);
  fibers[current]->state = DONE;
  swapcontext(&fibers[current]->context, &scheduler);
}

void wait(State state) {
  Fiber *own = fibers[current];
  own->state = state;
  swapcontext(&own->context, &scheduler);
}

// Lets those of a range go on that wait for each other, if none of them still runs.
bool released(unsigned begin, unsigned end, State state) {
  bool some = false;
  for (unsigned i = begin; i < end; ++i) {
    if (fibers[i]->state == state) some = true;
    else if (fibers[i]->state != DONE) return false;
  }
  for (unsigned i = begin; some && i < end; ++i)
    if (fibers[i]->state == state) fibers[i]->state = RUNS;
  return some;
}

void run_together(unsigned threads) {
  while (fibers.size() < threads) {
    fibers.push_back(new Fiber());
    fibers.back()->stack.resize(STACK);
  }
  for (unsigned i = 0; i < threads; ++i) {
    Fiber *one = fibers[i];
    one->state = RUNS;
    one->place = place(i, emu_blockDim);
    getcontext(&one->context);
    one->context.uc_stack.ss_sp = one->stack.data();
    one->context.uc_stack.ss_size = STACK;
    one->context.uc_link = nullptr;
    makecontext(&one->context, body, 0);
  }
  live = threads;
  for (bool some = true; some;) {
    some = false;
    for (unsigned turn = 0; turn < threads; ++turn) {
      current = backwards ? threads - 1 - turn : turn;
      if (fibers[current]->state != RUNS) continue;
      emu_threadIdx = fibers[current]->place;
      swapcontext(&scheduler, &fibers[current]->context);
      some = true;
    }
    for (unsigned begin = 0; begin < threads; begin += 32)
      some |= released(begin, std::min(begin + 32, threads), AT_WARP);
    some |= released(0, threads, AT_BLOCK);
  }
  for (unsigned i = 0; i < threads; ++i)
    if (fibers[i]->state != DONE) {
      std::fprintf(stderr, "threads of a block wait for each other at different places\n");
      std::abort();
    }
}

void run_alone(unsigned threads) {
  for (unsigned turn = 0; turn < threads; ++turn) {
    emu_threadIdx = place(backwards ? threads - 1 - turn : turn, emu_blockDim);
    entry(arguments);
  }
}

}  // namespace

extern "C" {

void emu_wait_block() { wait(AT_BLOCK); }
void emu_wait_warp() { wait(AT_WARP); }

// The words that a thread of the same warp shows. All of the mask come here.
void emu_exchange(unsigned mask, unsigned from, void *words, size_t size) {
  Fiber *own = fibers[current];
  std::memcpy(own->value, words, size);
  wait(AT_WARP);
  unsigned other = current / 32 * 32 + from % 32;
  if (other < live && (mask >> (from % 32) & 1)) std::memcpy(words, fibers[other]->value, size);
  wait(AT_WARP);
}

unsigned emu_ballot(unsigned mask, int own) {
  fibers[current]->value[0] = own != 0;
  wait(AT_WARP);
  unsigned found = 0, first = current / 32 * 32;
  for (unsigned i = 0; i < 32 && first + i < live; ++i)
    if ((mask >> i & 1) && fibers[first + i]->state != DONE && fibers[first + i]->value[0]) found |= 1u << i;
  wait(AT_WARP);
  return found;
}

// Runs a kernel: each of its blocks, one after the other.
void emu_launch(void (*kernel)(void **), int together, emu_dim3 grid, emu_dim3 block, unsigned dynamic, void **given) {
  std::vector<char> shared(dynamic + 64, (char)0xA5);
  emu_dynamic = (char *)(((size_t)shared.data() + 63) / 64 * 64);
  emu_gridDim = grid, emu_blockDim = block, entry = kernel, arguments = given;
  unsigned blocks = grid.x * grid.y * grid.z, threads = block.x * block.y * block.z;
  for (unsigned turn = 0; turn < blocks; ++turn) {
    emu_blockIdx = place(backwards ? blocks - 1 - turn : turn, grid);
    if (together) run_together(threads);
    else run_alone(threads);
  }
}
}
