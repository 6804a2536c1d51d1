"""Every difference between two editions has its reason, and the errata are those of the tables."""

from __future__ import annotations

import pytest

from winoqueer_nl import changes, errata
from winoqueer_nl.sources import load


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_every_pair_that_came_or_went_is_explained(made, lang: str) -> None:
    before, after = made.pairs(lang, "1.0.0"), made.pairs(lang, "2.0.0")
    found = changes.compare(load(made.root, lang), "1.0.0", "2.0.0", before, after)
    assert changes.UNEXPLAINED not in {reason for reason, _ in found.gone | found.new}
    assert found.before - sum(found.gone.values()) + sum(found.new.values()) == found.after == after.num_rows
    ids = [set(table["pair_id"].to_pylist()) for table in (before, after)]
    assert sum(found.gone.values()) == len(ids[0] - ids[1])
    assert sum(found.new.values()) == len(ids[1] - ids[0])
    assert found.same + found.reworded == len(ids[0] & ids[1])


def test_the_dutch_pairs_that_the_metadata_lists_are_there_now(made) -> None:
    found = changes.compare(
        load(made.root, "nl"), "1.0.0", "2.0.0", made.pairs("nl", "1.0.0"), made.pairs("nl", "2.0.0")
    )
    by_stereotype = {what: count for (_, what), count in found.new.items()}
    # 102 and 288 with the names of the release, and those of the pronoun that is new with translated stereotypes.
    assert by_stereotype['"are evil" x gay'] == 102 + 2
    assert by_stereotype['"are bad" x lgbtq'] == 288 + 4


def test_the_errata_page_is_made_from_the_tables(made) -> None:
    written = (made.root / "docs/errata.md").read_text(encoding="utf-8")
    assert written == errata.page(made.root), "run `winoqueer-nl errata`"


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_every_change_has_a_kind_and_a_reason(made, lang: str) -> None:
    found = errata.errata(made.root, lang)
    assert len(found) > 100
    for erratum in found:
        assert erratum.kind in errata.HEADINGS
        assert erratum.reason, erratum
        assert erratum.was != erratum.now, erratum


def test_the_page_warns_before_it_quotes(made) -> None:
    lines = errata.page(made.root).splitlines()
    assert next(n for n, line in enumerate(lines) if "Content warning" in line) < lines.index("### Spelling")
