"""What stands for CUDA in a process that was forked after CUDA had started: an error that says so."""

from __future__ import annotations

from typing import NoReturn


class Forked:
    """In the place of a device's backend: whatever is asked of it is refused."""

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(
            "CUDA had started when this process was forked, and does not work in it: what is on a GPU is out of reach. "
            "Start the process anew instead (multiprocessing.get_context('spawn')), or fork before anything is asked of a GPU."
        )
