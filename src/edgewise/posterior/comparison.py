"""Two posteriors over the same variables beside each other: conditions, seeds, priors.

What differs, by how much, and whether that is more than the Monte Carlo error of the two runs allows, is found in
:mod:`edgewise.posterior.differences`, where the rule is. A difference beyond Monte Carlo error is one of the
posteriors, not yet one of nature: two samples of rows from one population also have different posteriors.
"""

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from edgewise.errors import ArgumentError
from edgewise.files import new_file
from edgewise.wording import count, enumerate_items, quote, shorten

from .contrasts import Contrast, contrast_runs
from .diagnostics import LONGEST_NAME
from .differences import (
    FALSE_ALARMS,
    LARGE,
    Beliefs,
    HasEdgeProbabilities,
    check_variables,
    critical_deviate,
    measure_agreement,
    read_beliefs,
    tabulate_differences,
)
from .summaries import DISAGREED

NAMED = 3
"""Pairs that the headline names."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What :func:`edgewise.compare` found.

    Attributes
    ----------
    nodes
        The variables' names, in the order of the first posterior.
    names
        What the two posteriors are called.
    numbered_pairs
        The table of :attr:`pairs`, with column numbers in place of names.
    agreement
        Of the joined pairs that either posterior expects, the share that both do: the sum over all pairs of the
        smaller of the two probabilities of being joined, divided by the sum of the larger. It is 1 for equal
        probabilities, or where no pair is ever joined, and 0 if no pair can be joined in both.
    headline
        A sentence: how many pairs differ by more than .1 and beyond Monte Carlo error, and which do most.
    notes
        Sentences on what to be careful about, such as a run that should not be trusted.
    settings
        The settings in which the two runs differ, each with ``setting``, ``first`` and ``second``.
    same
        Names of the settings that are the same.
    critical
        How many Monte Carlo errors a difference must have to be beyond them.

    Examples
    --------
    >>> import edgewise as ew
    >>> data = ew.simulate(4, 200, seed=1).data
    >>> short = {"iterations": 2000, "thin": 10, "progress": False}
    >>> one, other = (ew.sample(data, seed=seed, **short) for seed in (1, 2))
    >>> comparison = ew.compare(one, other, names=("seed 1", "seed 2"))
    >>> comparison.headline
    'No pair of variables differs between seed 1 and seed 2 beyond Monte Carlo error.'
    >>> comparison.agreement > 0.9
    True
    """

    nodes: tuple[str, ...]
    names: tuple[str, str]
    numbered_pairs: pd.DataFrame
    agreement: float
    headline: str
    notes: tuple[str, ...]
    settings: tuple[Contrast, ...]
    same: tuple[str, ...]
    critical: float

    @property
    def pairs(self) -> pd.DataFrame:
        """A row for each pair that either posterior joins with probability .0005 or more, the most different first.

        ``a`` and ``b`` are two variables in the order of the first posterior. Differences are those of the second
        posterior from the first. There are five probabilities: ``joined``, that the two are; ``forward`` and
        ``backward``, of a -> b and of b -> a; ``told_forward`` and ``told_backward``, that these are compelled. Each
        has the columns ``joined_first``, ``joined_second``, ``joined_difference`` and ``joined_mcse``, the Monte Carlo
        standard error of the difference. ``differs_in`` names the one that differs most, beyond its error if there is
        such a one; ``difference`` and ``mcse`` are its. ``beyond_error`` tells whether any difference of the pair is
        beyond Monte Carlo error; ``is_large``, whether such a one is also above .1. ``direction_first`` and
        ``direction_second`` are ``"->"``, ``"<-"``, ``"-"`` or ``"?"`` as in :meth:`edgewise.Posterior.pairs`; with a
        ``"?"``, where chains disagree, no difference is beyond Monte Carlo error. ``only_first`` is the probability
        that a draw of the first posterior joins the pair and one of the second does not, ``only_second`` the reverse;
        ``forward_only_first`` and so on are the same for a -> b and b -> a.
        """
        table, names = self.numbered_pairs, pd.Index(self.nodes)
        return table.assign(a=names[table["a"]], b=names[table["b"]])

    @property
    def false_alarms(self) -> float:
        """The share of comparisons of runs with the same posterior in which any pair is beyond Monte Carlo error."""
        return FALSE_ALARMS

    def __repr__(self) -> str:
        first, second = (shorten(name, LONGEST_NAME) for name in self.names)
        large, p = int(self.numbered_pairs["is_large"].sum()), len(self.nodes)
        pairs = count(p * (p - 1) // 2, "pair")
        return (
            f"<Comparison of {first} and {second}, {count(p, 'variable')}: {large} of {pairs} "
            f"{'differs' if large == 1 else 'differ'}, agreement {self.agreement:.3f}>"
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table of :attr:`pairs` as a CSV file; text is quoted, numbers are not.

        Parameters
        ----------
        path
            The file; one that exists is replaced once the new one is complete.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        from .exports import write_csv

        with new_file(Path(path)) as unfinished:
            write_csv(unfinished, self.nodes, self.pairs)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a page for the browser: one HTML file that needs nothing else, not even a script.

        It shows both graphs as one, with what they have in common and what only one of them has, the table of pairs,
        and in what the two runs differ.

        Parameters
        ----------
        path
            The file; one that exists is replaced once the new one is complete.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        from .comparison_content import write_report

        write_report(self, path)


def compare(a: HasEdgeProbabilities, b: HasEdgeProbabilities, *, names: Sequence[str] = ("a", "b")) -> Comparison:
    """Compare two posteriors over the same variables: of two conditions, seeds or priors.

    Parameters
    ----------
    a, b
        Two posteriors, of :func:`edgewise.sample`, :func:`edgewise.bootstrap` or :func:`edgewise.exact_posterior`. The
        variables may be in any order. One may be a run without data, to see what the data have changed.
    names
        What to call the two in sentences and on the page.

    Returns
    -------
    Comparison
        With ``pairs``, a table of all differences and their Monte Carlo errors, the largest first, ``agreement``,
        ``headline``, and the methods ``report`` and ``write``.

    Raises
    ------
    ArgumentError
        If one of them is no posterior, or has other variables than the other.

    Examples
    --------
    >>> import edgewise as ew
    >>> sim = ew.simulate(4, 500, seed=1)
    >>> short = {"iterations": 2000, "thin": 10, "seed": 1, "progress": False}
    >>> sampled, exact = ew.sample(sim.data, **short), ew.exact_posterior(sim.data)
    >>> comparison = ew.compare(sampled, exact, names=("sampled", "exact"))
    >>> int(comparison.pairs["is_large"].sum())
    0
    """
    called = _check_names(names)
    for name, given in zip(called, (a, b), strict=True):
        if not isinstance(given, HasEdgeProbabilities) or isinstance(given, type):
            raise ArgumentError(
                f"compare takes two posteriors, such as ew.sample and ew.load return, but {quote(name)} is of the type "
                f"{type(given).__name__}."
            )
    check_variables(tuple(a.nodes), tuple(b.nodes), called)
    first = read_beliefs(a)
    second = read_beliefs(b).arranged(first.nodes)
    pairs = tabulate_differences(first, second)
    settings, same = contrast_runs(first, second)
    return Comparison(
        nodes=first.nodes,
        names=called,
        numbered_pairs=pairs,
        agreement=measure_agreement(first.probability["joined"], second.probability["joined"]),
        headline=f"{_headline(pairs, first.nodes, called)}{_count_disagreed(pairs)}.",
        notes=tuple(_find_notes(first, second, called)),
        settings=tuple(settings),
        same=tuple(same),
        critical=critical_deviate(len(first.nodes)),
    )


def _check_names(names: Sequence[str]) -> tuple[str, str]:
    are_texts = not isinstance(names, str) and all(isinstance(name, str) and name.strip() for name in names)
    if not are_texts or len(names) != 2 or names[0] == names[1]:
        raise ArgumentError(f"names must be two different texts, one for each posterior, but {names!r} was given.")
    return names[0], names[1]


def _headline(pairs: pd.DataFrame, nodes: tuple[str, ...], names: tuple[str, str]) -> str:
    first, second = (shorten(name, LONGEST_NAME) for name in names)
    large, small = pairs[pairs["is_large"]], int((pairs["beyond_error"] & ~pairs["is_large"]).sum())
    between = f"between {first} and {second}"
    if large.empty and not small:
        return f"No pair of variables differs {between} beyond Monte Carlo error"
    if large.empty:
        are = "1 is" if small == 1 else f"{small} are"
        return (
            f"No pair of variables differs {between} by more than {LARGE}; {are} beyond Monte Carlo error, but smaller"
        )
    most = [describe_difference(pair, nodes) for pair in large.head(NAMED).to_dict("records")]
    number = f"{len(large)} of {count(len(nodes) * (len(nodes) - 1) // 2, 'pair')} of variables"
    differ = "differs" if len(large) == 1 else "differ"
    which = "it is" if len(large) == 1 else "most of all" if len(large) > NAMED else "they are"
    said = f"{differ} {between} by more than {LARGE} and beyond Monte Carlo error"
    return f"{number} {said}; {which} {enumerate_items(most)}"


def _count_disagreed(pairs: pd.DataFrame) -> str:
    """Return the end of the headline, if there are pairs on which the chains of a posterior disagree."""
    disagreed = int((pairs[["direction_first", "direction_second"]] == DISAGREED).any(axis=1).sum())
    return f"; chains disagree on {count(disagreed, 'pair')}" if disagreed else ""


def describe_difference(pair: dict[Hashable, Any], nodes: tuple[str, ...]) -> str:
    """Say in which probability a pair, a row of ``numbered_pairs``, differs most, and from what to what."""
    what = str(pair["differs_in"])
    a, b = (shorten(nodes[pair[end]], LONGEST_NAME) for end in ("a", "b"))
    source, target = (b, a) if "backward" in what else (a, b)
    shown = f"{source} - {target}" if what == "joined" else f"{source} -> {target}"
    told = "told with " if what.startswith("told") else ""
    return f"{shown} ({told}{pair[f'{what}_first']:.2f} and {pair[f'{what}_second']:.2f})"


def _find_notes(first: Beliefs, second: Beliefs, names: tuple[str, str]) -> list[str]:
    notes = [
        f"Differences may be due to the chains of {shorten(name, LONGEST_NAME)}: {beliefs.verdict}"
        for name, beliefs in zip(names, (first, second), strict=True)
        if beliefs.verdict is not None
    ]
    for name, beliefs in zip(names, (first, second), strict=True):
        disagreed = int(np.triu(beliefs.disagreement).sum())
        if disagreed:
            notes.append(
                f"The chains of {shorten(name, LONGEST_NAME)} disagree on {count(disagreed, 'pair')} of variables, of "
                "which no difference counts as beyond Monte Carlo error."
            )
        if any(np.isnan(error).any() for error in beliefs.error.values()):
            notes.append(
                f"The Monte Carlo errors of {shorten(name, LONGEST_NAME)} are not all known, since it has too few "
                "draws, and where they are not, no difference counts as beyond them."
            )
        if np.isnan(beliefs.probability["told"]).any():
            notes.append(
                f"Which directions are told is not known of {shorten(name, LONGEST_NAME)}, which is an exact sum, and "
                "is not compared."
            )
    methods = [beliefs.info.get("method") == "bootstrap" for beliefs in (first, second)]
    if methods[0] != methods[1]:
        name = shorten(names[methods.index(True)], LONGEST_NAME)
        notes.append(
            f"The probabilities of {name} are shares of bootstrap replicates, which say how stable a method's answer "
            "is, and not how probable an edge is."
        )
    return notes
