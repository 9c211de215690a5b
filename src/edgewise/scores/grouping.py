"""From the score of each group of rows to a score of blocks of columns.

The columns of one group of rows are scored as if they were variables, by a :class:`LogDetScore`. Where its local scores
telescope, as those of BGe and BIC do, they are differences of weights of sets: a set of m columns weighs the sum of the
constants of families with 0 to m - 1 parents, and log|R| enters by the factor that families with m - 1 parents have.
"""

from collections.abc import Sequence

import numpy as np

from edgewise._kernels.basics.regression import SINGULAR
from edgewise._kernels.scores.blocks import BlockScore
from edgewise._kernels.scores.log_det import LogDetScore
from edgewise.data.blocks import Blocks


def join_groups(blocks: Blocks, scores: Sequence[LogDetScore]) -> BlockScore:
    """Return the score of blocks of columns, given the score of the columns in each group of rows."""
    shape = len(scores), blocks.columns + 1
    constant, weight = np.zeros(shape), np.zeros(shape)
    most = np.array([len(score.constant) for score in scores], dtype=np.int64)
    for group, score in enumerate(scores):
        constant[group, 1 : most[group] + 1] = np.cumsum(score.constant)
        weight[group, 1 : most[group] + 1] = score.on_family
        weight[group, : most[group]] = -score.on_parents
    matrix = np.array([score.matrix for score in scores])
    return BlockScore(
        # Copies can be written to, as all other tables; compiled code has other types for arrays that cannot.
        blocks.first.copy(),
        blocks.width.copy(),
        blocks.group.copy(),
        matrix,
        constant,
        weight,
        _own_log_dets(blocks, matrix),
        most,
        most_parents=max(min(len(blocks.first), int(most.max())) - 1, 0),
    )


def _own_log_dets(blocks: Blocks, matrix: np.ndarray) -> np.ndarray:
    """Return the log determinant of each variable's block in each group; inf where its columns are dependent."""
    found = np.full((len(matrix), len(blocks.first)), np.inf)
    for variable, (first, width) in enumerate(zip(blocks.first, blocks.width, strict=True)):
        block = matrix[:, first : first + width, first : first + width]
        square = np.diagonal(block, axis1=1, axis2=2)
        varies = (square > 0).all(axis=1)
        unit = np.sqrt(square[varies])
        sign, log_det = np.linalg.slogdet(block[varies] / unit[:, :, None] / unit[:, None, :])
        is_free = (sign > 0) & (log_det > np.log(SINGULAR))
        found[varies, variable] = np.where(is_free, log_det + 2 * np.log(unit).sum(axis=1), np.inf)
    return found
