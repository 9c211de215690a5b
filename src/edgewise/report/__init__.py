"""Pictures and pages, made from plain data: what they show is for the posterior to find."""

from .comparison import ComparisonContent, write_comparison
from .drawing import Drawing, draw_layers, find_neighbours
from .figures import Picture, draw_agreement, draw_edges, draw_experiments, draw_trace
from .graph_figure import GraphFigure
from .layout import Layout, lay_out
from .page import Content, summarize, write_page

__all__ = [
    "ComparisonContent",
    "Content",
    "Drawing",
    "GraphFigure",
    "Layout",
    "Picture",
    "draw_agreement",
    "draw_edges",
    "draw_experiments",
    "draw_layers",
    "draw_trace",
    "find_neighbours",
    "lay_out",
    "summarize",
    "write_comparison",
    "write_page",
]
