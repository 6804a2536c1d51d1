"""How a run is cut into jobs: large models into many, small ones into one, and the limits grow with the work."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copies import copy_project, python
from winoqueer_nl.scoring.jobs import PATIENCE, START_MINUTES, cost, hours_side_by_side

KINDS = st.sampled_from(["masked", "causal"])
SIZES = st.floats(1e5, 1e12)


def test_two_operations_a_parameter_and_position():
    # 1e8 parameters x 2 x 152 positions x 45,000 pairs = 1.368e15 operations; at 1e11 a second 13,680 s.
    one = cost("masked", 1e8, 45_000, "auto", 0.1, 60)
    assert one.seconds == pytest.approx(13_680)
    assert one.parts == 4  # 3.8 hours in jobs of one
    assert one.minutes == START_MINUTES + 171  # three times 57 minutes


def test_a_small_model_is_one_job():
    assert cost("causal", 1e6, 1000, "auto", 0.15, 120).parts == 1


@given(KINDS, SIZES, st.integers(1, 600))
def test_no_job_is_expected_to_take_longer_than_asked_for(kind, parameters, minutes):
    one = cost(kind, parameters, 45_000, "auto", 0.15, minutes)
    assert one.seconds / one.parts <= 60 * minutes * (1 + 1e-9)
    # And its limit leaves room for a slower machine.
    assert one.minutes * 60 >= PATIENCE * one.seconds / one.parts


@given(KINDS, SIZES, st.integers(1, 1000))
def test_the_number_of_jobs_can_be_given(kind, parameters, parts):
    assert cost(kind, parameters, 45_000, "auto", 0.15, 120, parts).parts == parts


@given(SIZES, st.floats(1.1, 10))
def test_larger_models_get_more_memory(parameters, times):
    small, large = (cost("causal", p, 1000, "auto", 1, 60).megabytes for p in (parameters, parameters * times))
    assert large >= small
    assert large > parameters * times * 4 / 1e6  # the weights in float32, at least


def test_side_by_side_is_never_faster_than_a_fair_share_nor_slower_than_alone():
    costs = [cost("masked", p, 45_000, "auto", 0.15, 120) for p in (1e8, 3e8, 5e8)]
    alone = hours_side_by_side(costs, 1)
    fair = sum(c.seconds for c in costs) / 3600
    assert alone == pytest.approx(fair + sum(c.parts for c in costs) * START_MINUTES / 60)
    for machines in (2, 5, 50):
        assert alone / machines - 1e-9 <= hours_side_by_side(costs, machines) <= alone


@pytest.mark.parametrize(
    ("settings", "cards"), [("device: cuda", 1), ("device: auto", 0), ("device: spread\n  jobs: {gpus: 4}", 4)]
)
def test_every_scoring_job_asks_for_its_graphics_cards(settings, cards, tmp_path):
    copy_project(tmp_path / "copy")
    models = "models: {demo-causal: {sample: 60, jobs: 2}}"
    (tmp_path / "copy/config.yaml").write_text(
        f"languages:\n  en:\n    editions: ['1.0.0']\nscoring:\n  {models}\n  {settings}\n", encoding="utf-8"
    )
    planned = python(tmp_path / "copy", "snakemake", "--dry-run", "score")
    assert planned.returncode == 0, planned.stderr
    # One job prepares, two compute in each of two turns, one joins.
    jobs = [job for job in planned.stdout.split("\nrule ") if job.startswith("score_")]
    assert len(jobs) == 6
    assert all(f"gpu={cards}," in job for job in jobs)
