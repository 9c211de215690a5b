"""What a chain hands over: its draws, as numbers of families, and the families."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ChainRecord:
    """The draws of one chain.

    Attributes
    ----------
    family : ndarray of int, shape (draws, p)
        For each draw and variable, the number of the variable's family.
    order : ndarray of int, shape (draws, p)
        The order at each draw.
    log_score, log_prior : ndarray, shape (draws,)
    family_node : ndarray of int, shape (families,)
        The child of each family.
    family_parents : ndarray of uint64, shape (families, words)
        Its parents; bit i of word w is variable 64 w + i.
    moves : dict
        For each kind of move, how often it was proposed and how often accepted.
    """

    family: np.ndarray
    order: np.ndarray
    log_score: np.ndarray
    log_prior: np.ndarray
    family_node: np.ndarray
    family_parents: np.ndarray
    moves: dict[str, tuple[int, int]]
