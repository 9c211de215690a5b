"""Scores of DAGs given data."""

from .bge import BGe
from .bic import GaussianBIC
from .scoring import Score, local_scores, score

__all__ = ["BGe", "GaussianBIC", "Score", "local_scores", "score"]
