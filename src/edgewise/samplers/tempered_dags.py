"""Parallel tempering of the chain over DAGs, for posteriors with modes that it cannot cross.

A ladder of replicas samples flattened posteriors, in which the weights of families are raised to powers, the *heats*,
from 1 down to a tenth, and what the prior and constraints say beyond single edges is kept. Where a hot replica goes
anywhere, a cold one is caught. Now and then neighbours on the ladder propose to exchange their states. With heats h,
costs c of parents that are no candidates, log weights e at heat 1 and numbers n of these parents, the joint density
would change by

    exp((h_i - h_j) (e_j - e_i) + (c_i - c_j) (n_i - n_j)),

as all else is the same before and after, which is the ratio of the Metropolis rule. The joint distribution stays as it
is, and so do the draws of the replica of heat 1.

The ladder is made before the chains begin, by short runs: heats are spaced so that neighbours exchange equally often,
at the rate that is wanted (Syed, Bouchard-Côté, Deligiannidis & Doucet 2022), and then stay as they are.

A *round trip* is that of a state which was in the hottest replica and comes to the cold one. Draws before and after it
have hardly anything in common; chains without any are still where they began.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgewise._kernels.basics.recorder import Draws
from edgewise.tasks import IsOver, never

from .dag_target import heat_target
from .schedule import MOST_ITERATIONS, Schedule
from .snapshots import Snapshot, restore, take_snapshot

LEAST_HEAT = 0.1
"""The end of the ladder. At a tenth of their weights, real tables of 22 to 54 variables have no modes that chains are
caught in."""

FIRST_REPLICAS, MOST_REPLICAS = 16, 48
"""Replicas to begin with, and the most that a ladder may have: with so many a chain takes as much longer."""

REJECTED = 0.6
"""How often an exchange of neighbours is to be rejected. For acceptance of .3 or more everywhere, though rates vary
along the ladder and from chain to chain."""

ROUNDS = (2_000, 6_000)
"""Iterations of the short runs by which the ladder is made."""

LADDER_SEED = 1991
"""Like candidates, the ladder must not depend on the seed of a run."""

EXCHANGE_EVERY = 50
"""Iterations from one round of exchanges to the next. To stop and go on takes a replica as long as ten iterations."""


@dataclass(frozen=True)
class TemperedDagModel:
    """The target of a run whose chains are ladders; the first replica is the one that draws."""

    replicas: tuple[Any, ...]

    @property
    def heats(self) -> np.ndarray:
        """The heats of the replicas."""
        return np.array([replica.target.heat for replica in self.replicas])

    @property
    def beliefs(self) -> Any:
        """What the prior and the constraints say beyond families."""
        return self.replicas[0].beliefs

    @property
    def target(self) -> Any:
        """The target of the replica that draws."""
        return self.replicas[0].target

    def start(self, order: np.ndarray, rng: np.random.Generator, schedule: Schedule) -> "TemperedDagChain":
        """Return a ladder whose replicas start at DAGs along random orders, the cold one along ``order``."""
        return TemperedDagChain(self, order, rng, schedule)


def temper(cold: Any, heats: np.ndarray) -> TemperedDagModel:
    """Return the model of ladders with replicas at such heats, the first of which is 1."""
    cold = replace(cold, moves_per_iteration=1)
    hot = [replace(cold, target=heat_target(cold.target, float(heat)), pilot=None) for heat in heats[1:]]
    return TemperedDagModel((cold, *hot))


def make_ladder(cold: Any, p: int, is_over: IsOver = never) -> TemperedDagModel:
    """Return the model of ladders whose neighbours exchange as often as they should."""
    model = temper(cold, np.geomspace(1, LEAST_HEAT, FIRST_REPLICAS))
    for iterations, rng in zip(ROUNDS, np.random.default_rng(LADDER_SEED).spawn(len(ROUNDS)), strict=True):
        if is_over():
            break
        chain = model.start(rng.permutation(p), rng, Schedule(iterations, iterations - 1, 1))
        chain.advance(iterations)
        model = temper(cold, space_heats(model.heats, chain.rejection()))
    return model


def space_heats(heats: np.ndarray, rejection: np.ndarray) -> np.ndarray:
    """Return heats between the same ends whose neighbours reject about equally often, given how often they do now.

    Examples
    --------
    >>> space_heats(np.array([1.0, 0.5, 0.25]), np.array([0.2, 0.9])).round(3)
    array([1.   , 0.382, 0.25 ])
    """
    total = np.concatenate([[0.0], np.cumsum(np.maximum(rejection, 0.01))])
    number = int(np.clip(np.ceil(total[-1] / REJECTED) + 1, 3, MOST_REPLICAS))
    return np.asarray(np.exp(np.interp(np.linspace(0.0, total[-1], number), total, np.log(heats))))


class TemperedDagChain:
    """One ladder: to all around it a chain like any other.

    An iteration is one of every replica. After every ``EXCHANGE_EVERY`` of them, the 1st and 2nd replica, the 3rd and
    4th, ... propose to exchange their states, and the next time the 2nd and 3rd, the 4th and 5th, ..., so that a state
    can travel along the whole ladder.
    """

    KEPT: tuple[str, ...] = ("_rng", "_exchanges", "_walker", "_was_hot", "_trips", "_rejection", "replicas")

    def __init__(
        self, model: TemperedDagModel, order: np.ndarray, rng: np.random.Generator, schedule: Schedule
    ) -> None:
        self.model = model
        self.iteration = 0
        number = len(model.replicas)
        *rngs, self._rng = rng.spawn(number)
        silent = replace(schedule, thin=MOST_ITERATIONS)
        self.replicas = [model.replicas[0].start(order, rng, schedule)]
        self.replicas += [
            hot.start(own.permutation(len(order)), own, silent)
            for hot, own in zip(model.replicas[1:], rngs, strict=True)
        ]
        self._exchanges = np.zeros((number - 1, 2), np.int64)
        self._walker = np.arange(number)
        self._was_hot = np.zeros(number, bool)
        self._trips = np.zeros(2, np.int64)
        self._rejection = np.zeros(number - 1)

    @property
    def schedule(self) -> Schedule:
        """The schedule of the cold replica, which draws."""
        schedule: Schedule = self.replicas[0].schedule
        return schedule

    @schedule.setter
    def schedule(self, schedule: Schedule) -> None:
        self.replicas[0].schedule = schedule

    def advance(self, steps: int) -> list[Draws]:
        """Take ``steps`` iterations, and return the draws that fall among them.

        With no steps at all, what is still to be compiled is compiled.
        """
        end = self.iteration + steps
        blocks: list[Draws] = []
        while self.iteration < end or not blocks:
            steps = min(end - self.iteration, EXCHANGE_EVERY - self.iteration % EXCHANGE_EVERY)
            for number, replica in enumerate(self.replicas):
                drawn = replica.advance(steps)
                blocks += drawn if number == 0 else []
            self.iteration += steps
            if steps and self.iteration % EXCHANGE_EVERY == 0:
                self._exchange(self.iteration // EXCHANGE_EVERY)
        return [Draws(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))]

    def _exchange(self, number: int) -> None:
        """Propose the exchanges of a round, the first having number 1."""
        probability = np.exp(np.minimum(log_ratios(self.replicas), 0.0))
        accepted = self._rng.random(len(probability)) < probability
        self._rejection += 1.0 - probability
        proposed = np.arange((number - 1) % 2, len(probability), 2)
        for k in proposed[accepted[proposed]]:
            exchange_states(self.replicas[k], self.replicas[k + 1])
            self._walker[[k, k + 1]] = self._walker[[k + 1, k]]
        self._exchanges[proposed, 0] += 1
        self._exchanges[proposed, 1] += accepted[proposed]
        first, last = self._walker[0], self._walker[-1]
        self._trips += [not self._was_hot[last], self._was_hot[first]]
        self._was_hot[last] = True
        self._was_hot[first] = False

    def rejection(self) -> np.ndarray:
        """Return how often each replica and the next would have rejected an exchange."""
        return np.asarray(self._rejection / max(self.iteration // EXCHANGE_EVERY, 1))

    def seek(self, is_over: IsOver = never) -> None:
        """Stay: a search may end in a mode that catches the cold replica, and it is for others to bring it there."""

    def snapshot(self) -> Snapshot:
        """Return where all replicas are."""
        return take_snapshot(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Go to where another chain of the same model was, and number families anew from there."""
        restore(self, snapshot)
        for replica in self.replicas:
            own = replica.snapshot()
            schedule = snapshot.schedule if replica is self.replicas[0] else replica.schedule
            replica.restore(replace(own, iteration=snapshot.iteration, schedule=schedule))
        self.iteration = snapshot.iteration

    def check(self) -> None:
        """Refuse to go on from where no chain can be."""
        for replica in self.replicas:
            replica.check()

    @property
    def log_posterior(self) -> float:
        """The unnormalised log posterior of the present DAG of the cold replica."""
        return float(self.replicas[0].log_posterior)

    def families(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the families drawn so far: their children, and their parents as bits in words of 64."""
        families: tuple[np.ndarray, np.ndarray] = self.replicas[0].families()
        return families

    def moves(self) -> dict[str, tuple[int, int]]:
        """Return, for each kind of move of the cold replica, how often it was proposed and how often accepted.

        And the same for the exchanges of each replica with the next, from the cold one on; of the journeys that states
        began in the hottest replica, those that ended in the cold one are the round trips.
        """
        exchanges = {f"exchange {k} / {k + 1}": (n, a) for k, (n, a) in enumerate(self._exchanges.tolist(), start=1)}
        begun, ended = self._trips.tolist()
        return {**self.replicas[0].moves(), **exchanges, ROUND_TRIPS: (begun, ended)}


ROUND_TRIPS = "round trip"
"""The name under which journeys from the hottest replica to the cold one are counted among the moves."""


def log_ratios(replicas: list[Any]) -> np.ndarray:
    """Return the log ratio of an exchange of each replica, but for the last, with the next."""
    targets = [replica.model.target for replica in replicas]
    heat, outside = np.array([target.heat for target in targets]), np.array([target.outside for target in targets])
    extra = np.array([replica.state.extra.sum() for replica in replicas])
    log_weight = (np.array([replica.state.log_weight.sum() for replica in replicas]) - outside * extra) / heat
    return np.asarray(-np.diff(heat) * np.diff(log_weight) - np.diff(outside) * np.diff(extra))


EXCHANGED = ("order", "position", "allowed", "chosen", "extra", "parents", "log_order", "beyond")
"""What of a state is the same at any heat."""


def exchange_states(one: Any, other: Any) -> None:
    """Let two replicas have each other's DAG and order."""
    log_weights = [_at_heat_one(replica) for replica in (one, other)]
    for name in EXCHANGED:
        own, others = getattr(one.state, name), getattr(other.state, name)
        kept = own.copy()
        own[...] = others
        others[...] = kept
    for replica, log_weight in zip((one, other), reversed(log_weights), strict=True):
        target = replica.model.target
        replica.state.log_weight[:] = target.heat * log_weight + target.outside * replica.state.extra


def _at_heat_one(replica: Any) -> np.ndarray:
    target = replica.model.target
    return np.asarray((replica.state.log_weight - target.outside * replica.state.extra) / target.heat)
