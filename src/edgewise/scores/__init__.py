"""Scores of DAGs given data."""

from .bdeu import BDeu
from .bge import BGe
from .bic import GaussianBIC
from .scoring import Score, local_scores, prepare_score
from .whole import default_score, score

__all__ = ["BDeu", "BGe", "GaussianBIC", "Score", "default_score", "local_scores", "prepare_score", "score"]
