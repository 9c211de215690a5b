"""Pictures and pages, made from plain data: what they show is for the posterior to find."""

from .comparison import ComparisonContent, write_comparison
from .figures import Picture, draw_agreement, draw_edges, draw_experiments, draw_graph, draw_trace
from .layout import Layout, lay_out
from .page import Content, summarize, write_page

__all__ = [
    "ComparisonContent",
    "Content",
    "Layout",
    "Picture",
    "draw_agreement",
    "draw_edges",
    "draw_experiments",
    "draw_graph",
    "draw_trace",
    "lay_out",
    "summarize",
    "write_comparison",
    "write_page",
]
