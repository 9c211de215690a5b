"""Scores of DAGs."""

from .bdeu import BDeu
from .bge import BGe
from .bic import GaussianBIC
from .choosing import default_score, prepare_score
from .degenerate import DegenerateGaussian
from .scoring import Score, local_scores
from .whole import score

__all__ = [
    "BDeu",
    "BGe",
    "DegenerateGaussian",
    "GaussianBIC",
    "Score",
    "default_score",
    "local_scores",
    "prepare_score",
    "score",
]
