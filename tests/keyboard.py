"""Someone who presses Ctrl-C, not after some time but when chains are at some place, however long that takes."""

import os
import signal
import threading
from contextlib import contextmanager

import pytest

from edgewise.running import engines


@contextmanager
def ctrl_c(*, chains, at=1):
    """Press Ctrl-C when all chains have made some iterations; check that its usual meaning is back at the end."""
    before = signal.getsignal(signal.SIGINT)
    advance, lock, there = engines._advance, threading.Lock(), set()

    def advance_and_press(chain, steps):
        back = advance(chain, steps)
        with lock:
            if len(there) < chains and chain.iteration >= at:
                there.add(id(chain))
                if len(there) == chains:
                    os.kill(os.getpid(), signal.SIGINT)
        return back

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(engines, "_advance", advance_and_press)
        yield
    assert len(there) == chains
    assert signal.getsignal(signal.SIGINT) is before
