"""Parallel tempering: heated replicas of a chain, which exchange their states with it.

A chain over orders can be caught where all orders around its own are much worse, although others, far away, are as
good. Replicas of the chain sample flattened posteriors, prior x likelihood^heat with heat = 1 / temperature below 1,
and cross where it cannot. Only the score is heated: what the prior and constraints exclude remains excluded. Now and
then, neighbours on the ladder of heats propose to exchange their states. With heats h_i, h_j and log scores s_i, s_j,
the joint density of all replicas would change by the factor

    exp((h_i - h_j) (s_j - s_i)),

as everything else is the same before and after, and by the Metropolis rule this is the probability to accept, if below
1. So the joint distribution stays as it is, and with it that of each replica: the draws of the cold one, with heat 1,
are draws from the posterior, and the others can be forgotten.

Where the heats between the two ends of the ladder belong is learnt during burn-in: all neighbours should exchange
equally often. Stochastic approximation (Robbins & Monro 1951; for tempering, Miasojedow, Moulines & Vihola 2013) widens
the gap between two neighbours that exchange more often than others, and narrows it if less often, by ever smaller
steps. A chain that goes on learning from its past need not keep its target. This one does: all draws are made after
burn-in, with a ladder that no longer changes, by a chain that is exact for any ladder. What it learnt before is part of
where it starts. A ladder that the user gives is never changed.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise.arguments import is_number, is_whole
from edgewise.errors import ArgumentError, StorageError
from edgewise.tasks import IsOver, never

from .order_chains import OrderChain
from .schedule import MOST_ITERATIONS, Schedule
from .snapshots import MISFIT, Snapshot, restore, take_snapshot

if TYPE_CHECKING:
    from .minimal_imap import MinimalIMAPModel

Temperatures = Literal["auto"] | int | tuple[float, ...]
"""What stands for a ladder: a word, the number of replicas, or their temperatures."""

HOTTEST = 10.0
"""The highest temperature, unless it is given. Orders differ most in how many superfluous edges their DAGs have, at
about log(n) / 2 each: 4.6 with 10,000 rows, and half a unit when heated, which is less than the usual prior has against
an edge. More heat would add replicas but no mobility."""

STEPS_PER_ROOT = 2 / 3
"""Steps of the ladder per square root of the number of variables. Log scores of p variables scatter like sqrt(p), and
neighbours exchange only where their scores overlap. On simulated data of 5, 30 and 100 variables, about .2 to .5 of
their proposals were then accepted with 100 rows, and mostly .5 to .8 with 1000, where the posterior is narrower."""

EXCHANGE_EVERY = 100
"""Iterations from one round of exchanges to the next. To stop and go on again takes a replica 30 microseconds, as long
as 15 to 100 iterations. With 8, 30 and 100 variables alike, states travelled from the cold to the hot end and back most
often per second with 25 to 100 iterations between rounds, and mostly less than half as often with 800."""

DECAY = 0.6
"""The n-th step of the adaptation has size n^-0.6. For the ladder to settle, and at the right place, the power must lie
above 1/2 and not above 1; the smaller, the sooner a bad beginning is forgotten."""


def check_temperatures(temperatures: object) -> Temperatures | None:
    """Return the value of an argument ``temperatures`` in its plainest form.

    Raises
    ------
    ArgumentError
        Unless it is None, ``"auto"``, a whole number of at least 2, or increasing temperatures that begin with 1.

    Examples
    --------
    >>> check_temperatures("auto"), check_temperatures(4.0), check_temperatures([1, 2, 4])
    ('auto', 4, (1.0, 2.0, 4.0))
    """
    if temperatures is None:
        return None
    if isinstance(temperatures, str):
        if temperatures == "auto":
            return "auto"
    elif is_number(temperatures):
        if is_whole(temperatures) and temperatures >= 2:  # type: ignore[operator]
            return int(temperatures)  # type: ignore[call-overload, no-any-return]
    elif isinstance(temperatures, Sequence) or (isinstance(temperatures, np.ndarray) and temperatures.ndim == 1):
        ladder = tuple(float(t) if is_number(t) else np.nan for t in temperatures)
        if len(ladder) >= 2 and ladder[0] == 1 and ladder[-1] < np.inf and (np.diff(ladder) > 0).all():
            return ladder
    raise ArgumentError(
        "temperatures must be None, 'auto', a number of replicas of at least 2, or increasing temperatures that begin "
        f"with 1, such as (1, 2, 4), but {temperatures!r} was given."
    )


def make_ladder(temperatures: Temperatures, p: int) -> np.ndarray:
    """Return the heats to begin with, decreasing from 1, for p variables.

    Examples
    --------
    >>> make_ladder((1, 2, 4), 30)
    array([1.  , 0.5 , 0.25])
    >>> make_ladder(3, 30).round(3), make_ladder("auto", 30).round(3)
    (array([1.   , 0.316, 0.1  ]), array([1.   , 0.562, 0.316, 0.178, 0.1  ]))
    """
    if isinstance(temperatures, tuple):
        return 1 / np.array(temperatures)
    steps = max(round(STEPS_PER_ROOT * p**0.5), 1) if temperatures == "auto" else temperatures - 1
    return np.asarray(HOTTEST ** -np.linspace(0, 1, steps + 1))


def exchange_probabilities(heats: np.ndarray, log_scores: np.ndarray) -> np.ndarray:
    """Return the probability to accept an exchange of each replica, but for the last, with the next.

    Examples
    --------
    >>> exchange_probabilities(np.array([1, 0.5, 0.25]), np.array([-10.0, -12.0, -11.0])).round(3)
    array([0.368, 1.   ])
    """
    with np.errstate(invalid="ignore"):
        log_ratio = -np.diff(heats) * np.diff(log_scores)
    # Of two impossible states, both of log score -inf, each is as good as the other: fmin passes over the nan.
    return np.asarray(np.exp(np.fmin(log_ratio, 0.0)))


def widen(heats: np.ndarray, probability: np.ndarray, step: float) -> np.ndarray:
    """Return the ladder with wider gaps, as ratios of heats, where exchanges are more probable than on average.

    The ends stay where they are.

    Examples
    --------
    >>> widen(np.array([1, 0.5, 0.25]), np.array([0.9, 0.1]), step=1.0).round(3)
    array([1.   , 0.384, 0.25 ])
    """
    log_gap = np.log(-np.diff(np.log(heats))) + step * probability
    share = np.cumsum(np.exp(log_gap - log_gap.max()))
    widened = heats.copy()
    widened[1:-1] = heats[-1] ** (share[:-1] / share[-1])
    return widened


def exchange_states(one: OrderChain, other: OrderChain) -> None:
    """Let two replicas take over each other's state; all else, and the counts of moves, stay where they are.

    What a replica remembers, of local scores, greedy paths or recorded families, is filed by what it is about and true
    for any state.
    """
    state = one.state
    one.state = other.state._replace(moves=state.moves)
    other.state = state._replace(moves=other.state.moves)
    one.structure, other.structure = other.structure, one.structure


class TemperedChain:
    """A chain at temperature 1 with its heated replicas: to all around it a chain like any other.

    An iteration is one of every replica. After every ``EXCHANGE_EVERY`` of them, the 1st and 2nd replica, the 3rd and
    4th, ... propose to exchange their states, and the next time the 2nd and 3rd, the 4th and 5th, ..., so that a state
    can travel along the whole ladder.

    Replicas advance one after another. The chains of a run have the cores already; and a single chain on two threads
    was slower with 30 variables, and at best 1.4 times as fast with 100.

    Parameters
    ----------
    model
        Starts the replicas, each at an order, with its random numbers and its schedule.
    order
        The order at which all replicas start.
    rng
        The random numbers of the cold replica; those of the others, and of the exchanges, are spawned from it.
    schedule
        That of the cold replica. The others draw nothing.
    temperatures
        What stands for the ladder, as :func:`check_temperatures` returns it.
    """

    KEPT: tuple[str, ...] = ("_rng", "_heats", "_exchanges", "replicas")

    def __init__(
        self,
        model: "MinimalIMAPModel",
        order: np.ndarray,
        rng: np.random.Generator,
        schedule: Schedule,
        temperatures: Temperatures,
    ) -> None:
        self.iteration = 0
        self._heats = make_ladder(temperatures, len(order))
        self._adapts = not isinstance(temperatures, tuple)
        *rngs, self._rng = rng.spawn(len(self._heats))
        cold = cast(OrderChain, model.start(order, rng, schedule))
        silent = replace(schedule, thin=MOST_ITERATIONS)
        heated = (cast(OrderChain, model.start(cold.state.order, own, silent)) for own in rngs)
        self.replicas = [cold, *heated]
        self._exchanges = np.zeros((len(rngs), 2), np.int64)
        self._heat()

    @property
    def schedule(self) -> Schedule:
        """The schedule of the cold replica, which draws."""
        return self.replicas[0].schedule

    @schedule.setter
    def schedule(self, schedule: Schedule) -> None:
        self.replicas[0].schedule = schedule

    @property
    def temperatures(self) -> np.ndarray:
        """The temperatures of the replicas at present."""
        return np.asarray(1 / self._heats)

    def advance(self, steps: int) -> list[Draws]:
        """Take ``steps`` iterations, and return the draws that fall among them.

        With no steps at all, what is still to be compiled is compiled.
        """
        end = self.iteration + steps
        blocks: list[Draws] = []
        while self.iteration < end or not blocks:
            steps = min(end - self.iteration, EXCHANGE_EVERY - self.iteration % EXCHANGE_EVERY)
            cold, *heated = self.replicas
            blocks += cold.advance(steps)
            for replica in heated:
                replica.advance(steps)
            self.iteration += steps
            if steps and self.iteration % EXCHANGE_EVERY == 0:
                self._exchange(self.iteration // EXCHANGE_EVERY)
        return [Draws(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))]

    def snapshot(self) -> Snapshot:
        """Return where all replicas are."""
        return take_snapshot(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Go to where another chain of the same model was, and number families anew from there."""
        restore(self, snapshot)
        for replica in self.replicas:
            replica.restore(replace(replica.snapshot(), iteration=snapshot.iteration))
        self.iteration, self.schedule = snapshot.iteration, snapshot.schedule
        self._heat()

    def check(self) -> None:
        """Refuse to go on from where no chain can be."""
        heats = self._heats
        if not (heats[0] == 1 and (np.diff(heats) < 0).all() and heats[-1] > 0):
            raise StorageError(MISFIT)
        for replica in self.replicas:
            replica.check()

    def seek(self, is_over: IsOver = never) -> None:
        """Let the cold replica go to a better start, and the others follow it."""
        cold, *heated = self.replicas
        cold.seek(is_over)
        for replica in heated:
            replica.state.order[:] = cold.state.order
            replica.refresh()

    @property
    def log_posterior(self) -> float:
        """The unnormalised log posterior of the present order of the cold replica."""
        return self.replicas[0].log_posterior

    def families(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the families drawn so far: their children, and their parents as bits in words of 64."""
        return self.replicas[0].families()

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return, for each kind of move of the cold replica, how often it was proposed and how often accepted.

        And the same for the exchanges of each replica with the next. They are numbered from the cold one on, and not
        named by their temperatures, because these are not the same in all chains of a run.
        """
        exchanges = {f"swap {k} / {k + 1}": (n, a) for k, (n, a) in enumerate(self._exchanges.tolist(), start=1)}
        return {**self.replicas[0].moves(), **exchanges}

    def _heat(self) -> None:
        """Give every replica its heat."""
        for replica, heat in zip(self.replicas, self._heats.tolist(), strict=True):
            replica.target = replica.target._replace(heat=heat)

    def _exchange(self, number: int) -> None:
        """Propose the exchanges of a round, the first having number 1, and adapt the ladder if this is burn-in."""
        log_scores = np.array([replica.log_score for replica in self.replicas])
        probability = exchange_probabilities(self._heats, log_scores)
        accepted = self._rng.random(len(probability)) < probability
        # Two replicas are one pair, which need not wait for its turn.
        proposed = slice((number - 1) % 2 if len(probability) > 1 else 0, None, 2)
        for k in range(len(probability))[proposed]:
            if accepted[k]:
                exchange_states(self.replicas[k], self.replicas[k + 1])
        self._exchanges[proposed, 0] += 1
        self._exchanges[proposed, 1] += accepted[proposed]
        if self._adapts and self.iteration <= self.schedule.burn_in:
            self._heats = widen(self._heats, probability, number**-DECAY)
            self._heat()
