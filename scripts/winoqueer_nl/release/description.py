"""release/<lang>.yaml: what a person has to say about a dataset that no table can know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from winoqueer_nl.given_names import FileName, Line
from winoqueer_nl.problems import Problems
from winoqueer_nl.yaml_files import Strict, read_yaml

DESCRIPTION_FILE = "release/{lang}.yaml"

Text = Annotated[str, StringConstraints(min_length=1)]
Web = Annotated[str, StringConstraints(pattern=r"^https://\S+$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Texts = Annotated[list[Text], Field(min_length=1)]


class Person(Strict):
    """Somebody to be named in a citation."""

    family: Text
    given: Text | None = None
    affiliation: Text | None = None

    @property
    def name(self) -> str:
        """Given and family name."""
        return f"{self.given} {self.family}" if self.given else self.family


class Work(Strict):
    """A work to cite beside the dataset."""

    type: Annotated[str, StringConstraints(pattern=r"^(article|conference-paper|dataset|generic)$")]
    title: Text
    authors: Annotated[list[Person], Field(min_length=1)]
    year: int | None = Field(default=None, ge=1900, le=2200)
    venue: Text | None = None
    url: Web | None = None


class Responsible(Strict):
    """The responsible-AI fields of Croissant (http://mlcommons.org/croissant/RAI/1.0), which people alone know."""

    data_collection: Text
    data_collection_type: Texts
    data_collection_timeframe: Text | None = None
    annotation_protocol: Text
    annotator_demographics: Text
    data_limitations: Text
    data_biases: Text
    data_social_impact: Text
    data_use_cases: Text
    personal_sensitive_information: Text
    release_maintenance_plan: Text


class Description(Strict):
    """What the dataset card, the citation and the Croissant file say beside the figures."""

    pretty_name: Line
    slug: Slug = Field(description="name of the dataset in programs, and of the evaluation-harness task")
    license: Annotated[str, StringConstraints(pattern=r"^[a-z0-9.-]+$")] = Field(description="as the Hub writes it")
    spdx: Text = Field(description="the same licence as SPDX and the citation file write it")
    license_url: Web
    licence_files: dict[FileName, Text] = Field(description="file in release/licences/ -> what it is the licence of")
    language_details: Text
    homepage: Web
    authors: Annotated[list[Person], Field(min_length=1)]
    references: list[Work] = Field(default_factory=list)
    annotations_creators: Texts
    language_creators: Texts
    source_datasets: Texts
    task_categories: Texts
    tags: Texts
    summary: Text
    content_warning: Text
    how_made: Texts
    survey: Text | None = None
    survey_exports: Literal["original", "reconstructed"] = Field(
        default="original",
        description="reconstructed: the exports are the sample made from published counts, whose respondents do not "
        "exist; what those counts do not determine is then not released",
    )
    intended_use: Texts
    out_of_scope: Texts
    limitations: Texts
    responsible_ai: Responsible


def read_description(root: Path, lang: str) -> Description:
    """Read and check the description of a language; raises InputError with every problem."""
    problems = Problems()
    found = read_yaml(root / DESCRIPTION_FILE.format(lang=lang), Description, problems)
    if found is not None:
        for name in found.licence_files:
            if not (root / "release/licences" / name).is_file():
                problems.add(
                    DESCRIPTION_FILE.format(lang=lang),
                    f"the licence file {name}, which is not in release/licences/",
                    "a licence text that is there",
                    field="licence_files",
                )
    problems.stop()
    assert found is not None
    return found
