"""Which rows say something about which variable.

In a row in which the experimenter set a variable, its value says nothing about its causes. So the family of each
variable is judged by the rows in which it was left free, and variables that were set in the same rows share a *group*
of rows.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of rows.

    Attributes
    ----------
    group
        The number of each variable's group, shape (p,).
    is_member
        Whether each row belongs to each group, shape (groups, n).
    """

    group: npt.NDArray[np.int64]
    is_member: npt.NDArray[np.bool_]


def group_rows(is_set: npt.NDArray[np.bool_]) -> Groups:
    """Group the rows of a table by the variables that are free in them.

    Parameters
    ----------
    is_set
        Whether the experimenter set each variable in each row, shape (n, p).

    Examples
    --------
    >>> groups = group_rows(np.array([[False, False, True], [False, False, False]]))
    >>> groups.group
    array([0, 0, 1])
    >>> groups.is_member
    array([[ True,  True],
           [False,  True]])
    """
    _, first, group = np.unique(is_set, axis=1, return_index=True, return_inverse=True)
    # Numbered as they turn up, so that without interventions, and for most variables with them, it is group 0.
    rank = np.argsort(np.argsort(first))
    return Groups(rank[group.reshape(-1)].astype(np.int64), ~is_set[:, np.sort(first)].T)
