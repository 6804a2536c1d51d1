"""Texts of others in Markdown."""

from __future__ import annotations


def cell(text: object) -> str:
    """A text as a cell of a Markdown table: one line, no column or element of its own."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")
