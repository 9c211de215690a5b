"""Pictures and pages, made from plain data: what they show is for the posterior to find."""

from .drawing import Drawing, as_svg, draw_layers
from .figures import Picture, draw_agreement, draw_edges, draw_trace
from .layout import Layout, lay_out
from .page import Content, summarize, write_page

__all__ = [
    "Content",
    "Drawing",
    "Layout",
    "Picture",
    "as_svg",
    "draw_agreement",
    "draw_edges",
    "draw_layers",
    "draw_trace",
    "lay_out",
    "summarize",
    "write_page",
]
