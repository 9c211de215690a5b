"""How long chains run: as asked for, as long as the time allows, or longer until they are good."""

from dataclasses import replace
from typing import NamedTuple

from edgewise.arguments import check_whole, is_number
from edgewise.errors import ArgumentError
from edgewise.samplers import Schedule, make_schedule
from edgewise.samplers.schedule import MOST_ITERATIONS, draws_for
from edgewise.wording import quote

from .requests import Request

ITERATIONS = 100_000
"""Iterations of a chain where neither they nor a time are given."""

GROWTH, LONGEST = 1.5, 100
"""By how much chains grow each time the verdict is not good yet, and how many times as long they may get at most."""


class Timed(NamedTuple):
    """A run as long as the time allows: its burn-in, a share of it or iterations, and how many draws, or how often."""

    burn_in: float
    draws: int
    thin: int | None

    @property
    def burns_by_the_clock(self) -> bool:
        """Whether burn-in is a share of the time."""
        return 0 < self.burn_in < 1

    def describe_burn_in(self) -> str:
        """Return how long burn-in is meant to be.

        Examples
        --------
        >>> Timed(0.2, 4000, None).describe_burn_in(), Timed(5000, 4000, None).describe_burn_in()
        ('20% of the time', '5,000')
        """
        return f"{self.burn_in:.0%} of the time" if self.burns_by_the_clock else f"{int(self.burn_in):,}"


def plan_length(
    iterations: int | None, burn_in: float, thin: int | None, time_budget: float | None, *, p: int
) -> tuple[Schedule, Timed | None]:
    """Return when chains draw; with a time budget alone, that is settled when they have burnt in."""
    if iterations is not None or time_budget is None:
        return make_schedule(ITERATIONS if iterations is None else iterations, burn_in, thin, p=p), None
    make_schedule(MOST_ITERATIONS, burn_in, thin)
    thin = None if thin is None else int(thin)
    return Schedule(MOST_ITERATIONS, MOST_ITERATIONS, thin or 1), Timed(burn_in, draws_for(p), thin)


def check_lengths(
    *,
    iterations: int | None = None,
    burn_in: float = 0.2,
    thin: int | None = None,
    chains: int = 1,
    time_budget: float | None = None,
    until: str | None = None,
) -> None:
    """Refuse what no run can work with, whatever its data."""
    check_whole("chains", chains)
    if time_budget is not None and not (is_number(time_budget) and time_budget > 0):
        raise ArgumentError(f"time_budget must be a positive number of seconds, but {quote(time_budget)} was given.")
    if until not in (None, "good"):
        raise ArgumentError(f"until must be 'good' or None, but {quote(until)} was given.")
    plan_length(iterations, burn_in, thin, time_budget, p=1)


def lengthen(schedule: Schedule, request: Request) -> Schedule | None:
    """Return a longer schedule for a run that goes on until it is good; None if it is as long as it may be."""
    most = LONGEST * (ITERATIONS if request.iterations is None else request.iterations)
    if request.until is None or schedule.iterations >= most:
        return None
    return replace(schedule, iterations=min(int(GROWTH * schedule.iterations), most))
