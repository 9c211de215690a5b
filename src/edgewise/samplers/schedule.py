"""When a chain draws."""

from dataclasses import dataclass

from edgewise.arguments import is_number, is_whole
from edgewise.errors import ArgumentError

MOST_ITERATIONS = 10**15
"""A chain of that length would take years; counts of this size are exact in the compiled loop."""


@dataclass(frozen=True)
class Schedule:
    """How long a chain runs, and after which of its iterations it draws.

    Draws are taken after every ``thin`` iterations beyond the first ``burn_in``.

    Examples
    --------
    >>> schedule = Schedule(iterations=100, burn_in=20, thin=10)
    >>> schedule.draws(after=100), schedule.until_draw(after=15), schedule.until_draw(after=30)
    (8, 15, 10)
    """

    iterations: int
    burn_in: int
    thin: int

    @property
    def has_open_end(self) -> bool:
        """Whether the chain goes on until it is stopped."""
        return self.iterations == MOST_ITERATIONS

    @property
    def has_open_burn_in(self) -> bool:
        """Whether the chain burns in until it is told that this is enough."""
        return self.burn_in == MOST_ITERATIONS

    def draws(self, *, after: int) -> int:
        """Return the number of draws taken in the first ``after`` iterations."""
        return max(after - self.burn_in, 0) // self.thin

    def until_draw(self, *, after: int) -> int:
        """Return the number of iterations from ``after`` to the next draw."""
        return self.burn_in + (self.draws(after=after) + 1) * self.thin - after


MOST_DRAWS, FEWEST_DRAWS, DRAWN_VARIABLES = 4_000, 1_000, 120_000
"""Draws of a chain where nothing else is said: up to 30 variables the most, from 120 on the fewest, and between them as
many as have so many variables together."""


def draws_for(p: int) -> int:
    """Return how many draws of p variables a chain should make.

    Examples
    --------
    >>> [draws_for(p) for p in (5, 30, 60, 200)]
    [4000, 4000, 2000, 1000]
    """
    return min(max(DRAWN_VARIABLES // p, FEWEST_DRAWS), MOST_DRAWS)


def make_schedule(iterations: int, burn_in: float, thin: int | None, *, p: int = 1) -> Schedule:
    """Check the three settings; a ``burn_in`` below 1 is a share of the iterations, else a number of them.

    Without ``thin`` there are as many draws as suit p variables.
    """
    for name, value in (("iterations", iterations), ("thin", 1 if thin is None else thin)):
        if not (is_whole(value) and 1 <= value <= MOST_ITERATIONS):
            raise ArgumentError(
                f"{name} must be a whole number from 1 to {MOST_ITERATIONS:.0e}, but {value!r} was given."
            )
    if not (is_number(burn_in) and (0 <= burn_in < 1 or (burn_in >= 1 and is_whole(burn_in)))):
        raise ArgumentError(
            f"burn_in must be a share of the iterations, from 0 to below 1, or a whole number of them, but "
            f"{burn_in!r} was given."
        )
    first = int(burn_in * iterations) if burn_in < 1 else int(burn_in)
    if thin is None:
        thin = max((int(iterations) - first) // draws_for(p), 1)
    schedule = Schedule(int(iterations), first, int(thin))
    if schedule.draws(after=schedule.iterations) == 0:
        raise ArgumentError(
            f"With iterations={iterations}, burn_in={burn_in} and thin={thin} nothing would be drawn; take "
            f"more iterations, or a smaller burn_in or thin."
        )
    return schedule
