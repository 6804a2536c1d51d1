"""Plots to bytes: SVG and PNG that come out the same on every machine, and SVG that can stand inside a page.

Text stays text: it can be searched, selected and read aloud, and it follows the reader's zoom.
"""

from __future__ import annotations

import io
import re
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl
from matplotlib.figure import Figure

# Everything that matplotlib would take from a user's own settings, a clock or chance is fixed here.
STYLE: dict[str, Any] = {
    "backend": "agg",
    "svg.hashsalt": "winoqueer-nl",
    "svg.fonttype": "none",
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.facecolor": "none",
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.edgecolor": "#5c5c66",
    "axes.labelcolor": "#1d1d24",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": False,
    "grid.color": "#dcdce2",
    "grid.linewidth": 0.7,
    "text.color": "#1d1d24",
    "xtick.color": "#3d3d47",
    "ytick.color": "#3d3d47",
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "hatch.linewidth": 0.6,
    "figure.facecolor": "white",
    "figure.dpi": 100,
    "savefig.facecolor": "white",
}
# DejaVu Sans is what the layout was measured with; the others are what most readers have, equally wide.
READERS_FONTS = "'DejaVu Sans', Verdana, Geneva, sans-serif"
PNG_DPI = 200


def style() -> Any:
    """A context in which figures are drawn and saved; a user's own matplotlib settings do not reach it."""
    return mpl.rc_context(dict(mpl.rcParamsDefault.items()) | STYLE)


def to_svg(figure: Figure) -> str:
    """A whole SVG file. Call inside :func:`style`, as all functions here."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", buffer.getvalue(), flags=re.DOTALL)
    return text.replace("'DejaVu Sans'", READERS_FONTS)


def to_png(figure: Figure) -> bytes:
    """A PNG image for papers, 200 dots per inch."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return buffer.getvalue()


def inline(svg: str, key: str, title: str, description: str) -> str:
    """An SVG file as an element of a page: named for people who cannot see it, with ids of its own.

    Parameters
    ----------
    svg: what :func:`to_svg` gave.
    key: put before every id, so that two figures of a page never share one.
    title, description: read aloud in place of the picture.
    """
    body = svg[svg.index("<svg") :].strip()
    head, rest = body.split(">", 1)
    size = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', head)
    if size is None:
        raise ValueError("an SVG without a viewBox")
    rest = re.sub(r"\s*<style[^>]*>.*?</style>", "", rest, flags=re.DOTALL)  # it would reach the whole page
    # The page has its own white, and a shade behind the plot that shows where there is more to scroll to.
    rest = re.sub(r'<g id="patch_1">.*?</g>', "", rest, count=1, flags=re.DOTALL)
    rest = re.sub(r'\bid="([^"]+)"', rf'id="{key}-\1"', rest)
    rest = re.sub(r'(?:xlink:)?href="#([^"]+)"', rf'href="#{key}-\1"', rest)
    rest = re.sub(r"url\(#([^)]+)\)", rf"url(#{key}-\1)", rest)
    rest = re.sub(r"\n\s*", "\n", rest)
    width = float(size.group(1))
    return (
        f'<svg viewBox="{size.group(0)[9:-1]}" role="img" '
        f'style="--width:{width * 4 / 3:.0f}px" aria-labelledby="{key}-title {key}-description">'
        f'<title id="{key}-title">{escape(title)}</title>'
        f'<desc id="{key}-description">{escape(description)}</desc>{rest}'
    )
