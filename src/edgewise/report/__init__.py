"""Pictures of a posterior, and a page for the browser that holds them all."""

from .figures import plot_agreement, plot_edges, plot_graph, plot_trace
from .page import summarize, write_report

__all__ = ["plot_agreement", "plot_edges", "plot_graph", "plot_trace", "summarize", "write_report"]
