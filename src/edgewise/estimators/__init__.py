"""Edgewise as an estimator of scikit-learn."""

from .structure_learner import StructureLearner

__all__ = ["StructureLearner"]
