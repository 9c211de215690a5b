"""Seconds of the cores that this process and those that it has started have used, which other work does not disturb."""

import psutil


def core_seconds():
    """Return them by process, so that what a process used meanwhile is a difference."""
    own = psutil.Process()
    seconds = {}
    for process in (own, *own.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        seconds[process.pid] = times.user + times.system
    return seconds


def used_since(before):
    """Return how many seconds were used since then."""
    return sum(seconds - before.get(pid, 0.0) for pid, seconds in core_seconds().items())
