# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.queue.queues import FIFOQueue as FIFOQueue
from twinflow._src.wings.queue.queues import PaddingFIFOQueue as PaddingFIFOQueue
from twinflow._src.wings.queue.queues import PriorityQueue as PriorityQueue
from twinflow._src.wings.queue.queues import QueueBase as QueueBase
from twinflow._src.wings.queue.queues import RandomShuffleQueue as RandomShuffleQueue
