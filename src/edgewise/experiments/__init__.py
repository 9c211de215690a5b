"""Experiments: what Edgewise is measured by."""

from .accuracy import Accuracy, auroc, measure_accuracy

__all__ = ["Accuracy", "auroc", "measure_accuracy"]
