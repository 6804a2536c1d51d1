"""The page and the plot files, written from :class:`~winoqueer_nl.report.data.ReportData`."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from winoqueer_nl.files import atomic, write_text
from winoqueer_nl.report import browser, figures, page_tables, survey_plots, svg
from winoqueer_nl.report.data import ReportData


@dataclass(frozen=True)
class Drawn:
    """A plot as the page takes it, and its files."""

    plan: figures.Plan
    element: str
    svg: str
    png: bytes


def draw(data: ReportData, progress: Callable[[str], None] = lambda _: None) -> dict[str, Drawn]:
    """Draw every plot that the data allows, by key."""
    found = {}
    with svg.style():
        for plan in figures.plan(data):
            progress(plan.key)
            figure = plan.draw()
            text = svg.to_svg(figure)
            element = svg.inline(text, plan.key, plan.title, plan.description)
            found[plan.key] = Drawn(plan, element, text, svg.to_png(figure))
    return found


def render(data: ReportData, drawn: dict[str, Drawn]) -> str:
    """The page: one HTML document that asks for nothing from anywhere."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    views = page_tables.results(data)
    if data.respondents is not None and len(data.respondents):
        views["respondents"] = page_tables.respondents(data.respondents)
    if data.survey is not None and data.survey["yes_percentage"].notna().any():
        names = [survey_plots.TIER_NAMES[tier] for tier in survey_plots.TIERS]
        views["stability"] = page_tables.stability(survey_plots.stability(data.survey), names)
    script = _asset("report.js")
    return environment.get_template("report.html.j2").render(
        data=data,
        figures=drawn,
        tables=views,
        facts=facts(data),
        script=script,
        # The browser runs this script and no other, whatever the tables and names brought into the page.
        script_hash=f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}",
        styles=_asset("report.css"),
        content=browser.as_script(browser.entries(data)),
    )


def facts(data: ReportData) -> dict[str, Any]:
    """The few numbers at the top of the page."""
    built = data.stereotypes["n_pairs"].fillna(0) > 0
    weighted = data.metrics[
        (data.metrics["group"] == "usage_weighted")
        & (data.metrics["subset"] == "all")
        & (data.metrics["policy"] == data.policy)
    ]
    real = weighted[~weighted["demo"].astype(bool)]
    weighted = real if len(real) else weighted
    effective = weighted["effective_n"].median() if len(weighted) else float("nan")
    return {
        "pairs": len(data.pairs),
        "stereotypes": int(built.sum()),
        "identities": len(data.identities),
        "models": len(data.models),
        "effective": None if pd.isna(effective) else round(float(effective)),
    }


def write_report(
    data: ReportData, out: Path, progress: Callable[[str], None] = lambda _: None
) -> tuple[Path, list[Path]]:
    """Write ``index.html`` and ``figures/*.svg``, ``figures/*.png``; remove plots that no longer are.

    Returns
    -------
    The page's path, and those of the plots.
    """
    drawn = draw(data, progress)
    text = render(data, drawn)
    folder, written = out / "figures", []
    for key, item in drawn.items():
        write_text(folder / f"{key}.svg", item.svg)
        with atomic(folder / f"{key}.png") as temporary:
            temporary.write_bytes(item.png)
        written += [folder / f"{key}.svg", folder / f"{key}.png"]
    for key in figures.KEYS:  # nobody shall take a plot of last month for one of today's
        for stale in ({folder / f"{key}.svg", folder / f"{key}.png"}) - set(written):
            stale.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    write_text(out / "index.html", text)
    return out / "index.html", written


def _asset(name: str) -> str:
    return files("winoqueer_nl.report").joinpath("assets", name).read_text(encoding="utf-8")
