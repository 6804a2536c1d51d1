"""The dataset and the survey of a small made-up project."""

import sys
from pathlib import Path

import pandas as pd

sys.path.append(str(Path(__file__).parents[1] / "statistics"))  # for statistics_made

from statistics_made import IDENTITIES, pairs, several, write_run, write_set

from winoqueer_nl.report.data import ReportData, read_report_data

# A gloss that would break a careless page, and letters that a search should find without their accents.
NASTY = 'are "blorb" </script><b>&amp; naïef'


def write_dataset(root: Path) -> None:
    """The dataset's and the survey's tables beside the pairs that stand there."""
    pairs = pd.read_parquet(root / "nl" / "1.0.0" / "pairs.parquet")
    rows, votes = [], []
    for number in range(1, 14):  # the last one is in no pair
        key = f"wq{number:03}"
        own = pairs[pairs["stereotype_id"] == key]
        new = bool(len(own)) and own["origin"].iloc[0] != "winoqueer"
        tier = "" if new else "-1" if own.empty else str(own["tier"].iloc[0])
        identities = list(dict.fromkeys(own["identity"])) or ["red"]
        yes = "" if new else round(100 * (number % 7 + 1) / 8, 2)
        counts = ("", "", "") if new else (number % 7 + 1, 7 - number % 7, number % 3)
        harm = "" if number == 1 else (number * 7 % 11) / 2
        rows.append(
            {
                "stereotype_id": key,
                "type": "predicate",
                "origin": "survey-made" if new else "winoqueer",
                "gloss": NASTY if number == 2 else f"are blorb {number}",
                "identities": ";".join(identities),
                "n_pairs": len(own),
                "n_yes": counts[0],
                "n_no": counts[1],
                "n_unsure": counts[2],
                "yes_percentage": yes,
                "tier": tier,
                "harmfulness_count": 6,
                "harmfulness_mean": harm,
                "harmfulness_sd": 0.5 if harm != "" else "",
                "main_plural": f"zijn blorb {number}",
                "singular": f"is blorb {number}" if number > 1 else "",
            }
        )
        if not new:
            chances = [0.1] * 4
            chances[{"1": 0, "2": 1, "3": 2, "-1": 3}[tier]] = 0.7
            votes.append(
                {
                    **{"stereotype_id": key, "n_yes": counts[0], "n_no": counts[1], "n_unsure": counts[2]},
                    **{"n_votes": sum(counts), "yes_percentage": yes, "tier": tier},
                    **{"yes_percentage_low": max(yes - 20, 0), "yes_percentage_high": min(yes + 20, 100)},
                    **{"tier_1_probability": chances[0], "tier_2_probability": chances[1]},
                    **{"tier_3_probability": chances[2], "not_relevant_probability": chances[3]},
                    **{"harmfulness_count": 6, "harmfulness_mean": harm, "harmfulness_sd": 0.5},
                    **{"votes_of": "", "rounds": "1"},
                }
            )
    pd.DataFrame(rows).to_csv(root / "nl" / "1.0.0" / "stereotypes.csv", index=False)
    survey = root / "nl" / "survey"
    survey.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(votes).to_csv(survey / "stereotypes.csv", index=False)
    people = [("sexual_identity", "red", "14", "false"), ("sexual_identity", "green", "", "true")]
    people += [("sexual_identity", "blue", "", "true"), ("gender_identity", "none", "0", "false")]
    columns = ["question", "answer", "n_respondents", "suppressed"]
    pd.DataFrame(people, columns=columns).to_csv(survey / "respondents.csv", index=False)


def write_next_edition(root: Path) -> None:
    """Edition 2.0.0 of both languages, without one stereotype, and the runs of two models and the demo over it."""
    write_set(root, "nl", pairs(skip=("wq005",)), edition="2.0.0")
    write_set(root, "en", pairs(language="en"), edition="2.0.0")
    write_run(root, "alpha", 11, edition="2.0.0")
    write_run(root, "toy", 12, edition="2.0.0", demo=True, shift=4.0)
    write_run(root, "alpha", 13, "en", edition="2.0.0")
    write_run(root, "beta", 14, "en", edition="2.0.0", kind="autoregressive")


def read(root: Path, **more: object) -> ReportData:
    """The report's data of a project under ``root``."""
    chosen = {"language": "nl", "edition": "1.0.0", "policy": "published", "threshold": 5, **more}
    return read_report_data(root / "tables", root / "nl" / "1.0.0", root / "nl" / "survey", **chosen)


__all__ = ["IDENTITIES", "NASTY", "read", "several", "write_dataset", "write_next_edition", "write_run"]
