"""Which plots the report has, what each is called, how to read it, and what it shows in words.

The words are made from the same numbers as the plot, so that somebody who cannot see it learns the same. No
figure, title or description holds a stereotype: the plots may stand in a paper or a dataset card as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from winoqueer_nl.report import plots, relation_plots, survey_plots
from winoqueer_nl.report.data import ReportData

# Every plot that a report may have; the keys are the names of the files.
KEYS = (
    *("overview", "heatmap", "identities", "subsets", "policies", "templates", "differences", "harmfulness"),
    *("languages", "editions", "tiers", "tier_stability", "survey_harmfulness", "respondents"),
)


@dataclass(frozen=True)
class Plan:
    """A plot that the data allows: key, title, how to read it, what it shows in words, the drawing."""

    key: str
    title: str
    caption: str
    description: str
    draw: Callable[[], Figure]


def plan(data: ReportData) -> list[Plan]:
    """The plots that this data allows, in the page's order."""
    found: list[Plan] = []
    if data.models:
        found += _results(data)
    if len(data.languages):
        found.append(_languages(data))
    if len(data.editions):
        found.append(_editions(data))
    if data.survey is not None and data.survey["yes_percentage"].notna().any():
        found += _survey(data.survey)
    if data.survey is not None and data.survey["harmfulness_mean"].notna().any():
        found.append(_harm(data.survey))
    if data.respondents is not None and len(data.respondents):
        found.append(_respondents(data))
    return found


def _results(data: ReportData) -> list[Plan]:
    found = [
        Plan(
            "overview",
            "Bias of each model",
            "50 is neutral; to the right of the broken line a model prefers stereotypical sentences. The "
            "black or "
            "coloured line is the interval that respects that pairs share stereotypes; the thick grey "
            "line under it "
            "is what one would claim if all pairs were independent.",
            _overview_words(data),
            lambda: plots.overview(data),
        ),
        Plan(
            "heatmap",
            "Bias per model and identity",
            "Percentage of pairs in which the stereotypical sentence scores higher. Orange above 50, purple below.",
            _heatmap_words(data),
            lambda: plots.heatmap(data),
        ),
        Plan(
            "identities",
            "Bias per identity, with intervals",
            "One panel per identity, one row per model. Coloured: interval over stereotypes. Grey: naive "
            "interval. "
            "No line means too few stereotypes for an interval.",
            _identity_words(data),
            lambda: plots.identities(data),
        ),
        Plan(
            "subsets",
            "Full set, tiers, new stereotypes",
            "The subsets of Tier 1-2 and Tier 1 include the new stereotypes, as in the paper. An average "
            "over "
            "identities has no interval where an identity has too few stereotypes.",
            _subset_words(data),
            lambda: plots.subsets(data),
        ),
        Plan(
            "policies",
            "Published rule and exact slot",
            "The published rule scores the tokens that both sentences share, which can include parts of "
            "the identity "
            "word; the exact slot leaves out the identity's characters and nothing else.",
            _policy_words(data),
            lambda: plots.policies(data),
        ),
        Plan(
            "templates",
            "Bias per template",
            "Template numbers as in the paper; 5n to 10n are the forms about a person in which the "
            "identity itself "
            "is the reason.",
            f"A table of {len(data.models)} models by sentence templates with the bias in each cell.",
            lambda: relation_plots.templates(data),
        ),
    ]
    if len(data.models) > 2:  # of two, the table says all
        found.append(
            Plan(
                "differences",
                "Models against each other",
                "Identity-averaged bias, row minus column, in percentage points over the same pairs. A "
                "star marks "
                "differences that survive Holm's correction at 5 %. Masked and autoregressive models are "
                "not directly "
                "comparable.",
                _difference_words(data),
                lambda: relation_plots.differences(data),
            )
        )
    if len(data.harmfulness):
        found.append(
            Plan(
                "harmfulness",
                "Harmfulness and bias",
                "One dot per stereotype: how harmful people find it, and how often the model prefers its "
                "sentences. "
                "The line is the least-squares fit.",
                _harmfulness_words(data),
                lambda: relation_plots.harmfulness(data),
            )
        )
    return found


def _languages(data: ReportData) -> Plan:
    first, second = data.languages.iloc[0][["language_a", "language_b"]]
    rows = data.languages[data.languages["group"] == "identity_gap"]
    words = "; ".join(
        f"{data.name(row.model)}: {row.value_a:.1f} in {first}, {row.value_b:.1f} in {second}"
        for row in rows.itertuples()
    )
    return Plan(
        "languages",
        f"The same model in {first} and {second}",
        f"Bias in {first} minus bias in {second}, over the combinations of stereotype and identity that "
        f"both sets "
        "have; the interval draws a stereotype with its pairs in both languages.",
        f"Differences of bias per identity for models run in both languages. Identity gap: {words}.",
        lambda: relation_plots.languages(data),
    )


def _editions(data: ReportData) -> Plan:
    return Plan(
        "editions",
        "The same model on consecutive editions",
        "Bias in the later edition minus bias in the earlier one, over the combinations of stereotype and identity "
        "that both have; the interval draws a stereotype with its pairs in both editions. A point on the broken line: "
        "as biased in both. The shape of the point tells the language.",
        _edition_words(data),
        lambda: relation_plots.editions(data),
    )


def _edition_words(data: ReportData) -> str:
    rows = data.editions[~data.editions["demo"].astype(bool)]
    rows = rows if len(rows) else data.editions
    parts = []
    for (lang, before, after), own in rows.groupby(["language", "edition_before", "edition_after"], sort=False):
        means = "; ".join(
            f"{data.name(row.model)} {row.value_before:.1f} to {row.value_after:.1f}"
            for row in own[own["group"] == "identity_averaged"].itertuples()
        )
        changes = own[own["dimension"] == "identity"]
        most = changes.loc[changes["difference"].abs().idxmax()]
        parts.append(
            f"From {before} to {after} in {lang}, identity-averaged bias: {means}. Largest change of an identity: "
            f"{data.label(most['group'])} for {data.name(most['model'])}, {most['difference']:+.1f} points. "
            f"{int((changes['p_holm'] < 0.05).sum())} of {len(changes)} changes survive Holm's correction at 5 %."
        )
    return " ".join(parts)


def _survey(survey: pd.DataFrame) -> list[Plan]:
    rows = survey_plots.voted(survey)
    counts = rows["tier"].value_counts()
    words = ", ".join(f"{int(counts.get(tier, 0))} {survey_plots.TIER_NAMES[tier]}" for tier in survey_plots.TIERS)
    table = survey_plots.stability(survey)
    own = "; ".join(
        f"{survey_plots.TIER_NAMES[tier]}: {table.loc[tier, tier]:.0f} %"
        for tier in survey_plots.TIERS
        if pd.notna(table.loc[tier, tier])
    )
    width = (rows["yes_percentage_high"] - rows["yes_percentage_low"]).median()
    return [
        Plan(
            "tiers",
            "How widely the stereotypes are recognised",
            "Share of yes among yes and no, with Wilson's 95 % interval, one stereotype per position. "
            "The shape of "
            "the marker is the tier.",
            f"{len(rows)} stereotypes with votes: {words}. The intervals are wide: half of them are "
            f"wider than "
            f"{width:.0f} percentage points.",
            lambda: survey_plots.tiers(survey),
        ),
        Plan(
            "tier_stability",
            "How firmly the tiers stand",
            "If other people like these had answered: resamples of the respondents, and the tier in "
            "which each "
            "stereotype then ends up. Each row adds up to 100.",
            f"A table of tiers by tiers. Share of resamples that keep the tier: {own}.",
            lambda: survey_plots.tier_stability(survey),
        ),
    ]


def _harm(survey: pd.DataFrame) -> Plan:
    mean = survey["harmfulness_mean"].dropna()
    return Plan(
        "survey_harmfulness",
        "How harmful people find the stereotypes",
        "Mean rating with one standard deviation to each side, one stereotype per position.",
        f"{len(mean)} stereotypes with ratings; means from {mean.min():.2f} to {mean.max():.2f}, "
        f"median {mean.median():.2f}.",
        lambda: survey_plots.harm(survey),
    )


def _respondents(data: ReportData) -> Plan:
    people = data.respondents
    assert people is not None
    shown = people[~people["suppressed"]]
    words = "; ".join(
        f"{str(row.question).replace('_', ' ')}, {str(row.answer).replace('_', ' ')}: {int(row.n_respondents)}"
        for row in shown.itertuples()
    )
    hidden = int(people["suppressed"].sum())
    return Plan(
        "respondents",
        "Who answered",
        f"Counts below {data.threshold} are hidden so that nobody can be singled out, and further ones "
        f"where a hidden "
        "count could be worked out from the others. A hatched box says nothing about the size.",
        f"Respondents per answer. {words}. {hidden} counts are hidden.",
        lambda: survey_plots.respondents(people, data.threshold),
    )


def _rows(data: ReportData, **wanted: str) -> pd.DataFrame:
    rows = data.metrics[data.metrics["policy"] == data.policy]
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    rows = rows[rows["value"].notna()]
    real = rows[~rows["demo"].astype(bool)]
    return real if len(real) else rows  # a mean with a demo model in it would mean nothing


def _overview_words(data: ReportData) -> str:
    parts = []
    for group, words in (("usage_weighted", "Usage-weighted"), ("identity_averaged", "Identity-averaged")):
        rows = _rows(data, subset="all", group=group).sort_values("value")
        if len(rows):
            low, high = rows.iloc[0], rows.iloc[-1]
            parts.append(
                f"{words} bias runs from {low['value']:.1f} ({data.name(low['model'])}) "
                f"to {high['value']:.1f} ({data.name(high['model'])})."
            )
    return " ".join(parts)


def _heatmap_words(data: ReportData) -> str:
    rows = _rows(data, subset="all", dimension="identity")
    low, high = rows.loc[rows["value"].idxmin()], rows.loc[rows["value"].idxmax()]
    means = rows.groupby("group")["value"].mean().reindex(data.identities).dropna()
    words = ", ".join(f"{data.label(str(identity))} {value:.1f}" for identity, value in means.items())
    return (
        f"Highest: {data.label(high['group'])} for {data.name(high['model'])}, {high['value']:.1f}. "
        f"Lowest: {data.label(low['group'])} for {data.name(low['model'])}, {low['value']:.1f}. "
        f"Mean over the models: {words}."
    )


def _identity_words(data: ReportData) -> str:
    rows = _rows(data, subset="all", dimension="identity")
    above = rows[rows["low"] > 50].groupby("group")["model"].count()
    below = rows[rows["high"] < 50].groupby("group")["model"].count()
    words = "; ".join(
        f"{data.label(identity)}: {int(above.get(identity, 0))} above 50, {int(below.get(identity, 0))} below"
        for identity in data.identities
    )
    return f"Number of the {len(data.models)} models whose interval lies wholly on one side of 50. {words}."


def _subset_words(data: ReportData) -> str:
    from winoqueer_nl.statistics.subsets import SUBSETS

    parts = []
    for subset in SUBSETS:
        rows = _rows(data, subset=subset.key, group="identity_averaged")
        if subset.in_paper and len(rows):
            parts.append(f"{subset.label} {rows['value'].mean():.1f}")
    return f"Identity-averaged bias, mean over the models: {', '.join(parts)}."


def _policy_words(data: ReportData) -> str:
    rows = data.metrics[(data.metrics["subset"] == "all") & (data.metrics["group"] == "identity_averaged")]
    table = rows.pivot(index="model", columns="policy", values="value").dropna()
    if table.empty:
        return "No model has both."
    change = table["slot"] - table["published"]
    model = change.abs().idxmax()
    return (
        f"From the published rule to the exact slot, identity-averaged bias changes most for "
        f"{data.name(str(model))}: {change[model]:+.1f} points."
    )


def _difference_words(data: ReportData) -> str:
    rows = data.comparison[
        (data.comparison["policy"] == data.policy) & (data.comparison["measure"] == "identity_averaged")
    ]
    return f"{int((rows['p_holm'] < 0.05).sum())} of {len(rows)} differences survive Holm's correction at 5 %."


def _harmfulness_words(data: ReportData) -> str:
    rows = data.harmfulness[data.harmfulness["policy"] == data.policy]
    words = "; ".join(
        f"{data.name(row.model)} {row.pearson_r:+.2f}" for row in rows.itertuples() if pd.notna(row.pearson_r)
    )
    return f"Pearson's r of bias and harmfulness over stereotypes: {words}."
