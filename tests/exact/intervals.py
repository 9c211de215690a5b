"""Which random numbers lead where, found from a step itself: where one outcome ends and the next begins."""

from bisect import bisect_left, bisect_right

import numpy as np

NARROW = 2.0**-41
"""The widest gap between two numbers with different outcomes, which limits the error of a probability."""


class Ends:
    """Where intervals of random numbers may end. A wrong guess costs time, but does not change what is found.

    On either side of each end there is a number to be tried: if their outcomes differ, the end is found. Numbers beside
    ends that were found are kept, since other steps often have the same ends.
    """

    def __init__(self, likely=()):
        self._numbers = []
        for end in likely:
            self.add(end - NARROW / 3, end + NARROW / 3)

    def add(self, *numbers):
        """Have numbers tried that are not among the others yet."""
        for number in numbers:
            place = bisect_left(self._numbers, number)
            if self._numbers[place : place + 1] != [number]:
                self._numbers.insert(place, number)

    def divide(self, low, high):
        """Return a number between two others: the middle one of those to be tried, or else halfway."""
        first, last = bisect_right(self._numbers, low), bisect_left(self._numbers, high)
        return self._numbers[(first + last) // 2] if first < last else (low + high) / 2

    def narrow_down(self, outcome, low, high):
        """Return numbers on either side of an end between two numbers that have different outcomes."""
        at_low = outcome(low)
        while high - low >= NARROW:
            middle = self.divide(low, high)
            if outcome(middle) == at_low:
                low = middle
            else:
                high = middle
        self.add(low, high)
        return low, high


def find_intervals(outcome, *, ends=None, parts=1):
    """Return (low, high, outcome) for every outcome of a step, where one uniform random number decides between them.

    The range of that number is swept in some parts; a part is divided as long as its ends have different outcomes.
    """
    ends = Ends() if ends is None else ends
    found = []

    def search(low, at_low, high, at_high):
        if at_low != at_high and high - low >= NARROW:
            middle = ends.divide(low, high)
            at_middle = outcome(middle)
            search(low, at_low, middle, at_middle)
            search(middle, at_middle, high, at_high)
            return
        if at_low != at_high:
            ends.add(low, high)
        if found and found[-1][2] == at_low:
            found[-1][1] = high
        else:
            found.append([low, high, at_low])

    low, at_low = 0.0, outcome(0.0)
    for high in np.linspace(0, 1, parts + 1)[1:].tolist():
        at_high = outcome(min(high, np.nextafter(1.0, 0.0)))
        search(low, at_low, high, at_high)
        low, at_low = high, at_high
    return found


def measure_outcomes(outcome, **settings):
    """Return how likely each outcome of a step is; arguments as in :func:`find_intervals`."""
    share = {}
    for low, high, reached in find_intervals(outcome, **settings):
        share[reached] = share.get(reached, 0.0) + high - low
    return share
