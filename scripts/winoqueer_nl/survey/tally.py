"""How often each answer was given in a round, stereotype by stereotype; one by one only where a round is small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from winoqueer_nl.survey.canonical import Responses
from winoqueer_nl.survey.cells import ANSWERED
from winoqueer_nl.survey.config import Unsure
from winoqueer_nl.survey.instrument import Instrument
from winoqueer_nl.survey.tiers import ANSWERS, MOST_DRAWN_ONE_BY_ONE, RoundVotes, votes


@dataclass(frozen=True)
class Tally:
    """One round's answers.

    counts: answers x stereotypes. ratings: per stereotype, how often each rating was chosen.
    said: answers x respondents x stereotypes of 0 and 1, or None where the round is too large for that.
    """

    respondents: int
    counts: npt.NDArray[np.int64]
    ratings: list[Counter[int]]
    said: npt.NDArray[np.int64] | None

    def votes(self, unsure: Unsure) -> RoundVotes:
        """The yes votes and all votes, respondent by respondent or as sums."""
        if self.said is not None:
            return RoundVotes(self.respondents, *votes(self.said, unsure))
        return RoundVotes(self.respondents, *votes(self.counts, unsure))


def answers_of(responses: Responses, round_id: str, instrument: Instrument, ids: Sequence[str]) -> Tally:
    """Count a round's answers to its questions for each stereotype of ``ids``."""
    place = {stereotype: i for i, stereotype in enumerate(ids)}
    items = instrument.rounds[round_id].items
    keys = [item.key for item in items]
    n = responses.respondents[round_id]
    table = responses.table
    of_round = table[table["round"] == round_id] if len(responses.respondents) > 1 else table
    answered = of_round[of_round["state"] == ANSWERED]
    given = _counted(answered[answered["aspect"] == "relevance"])
    rated = _counted(answered[answered["aspect"] == "harmfulness"])
    counts = np.zeros((len(ANSWERS), len(ids)), np.int64)
    ratings: list[Counter[int]] = [Counter() for _ in ids]
    for item in items:
        for stereotype in item.stereotypes:
            counts[:, place[stereotype]] = [given.get((item.key, answer), 0) for answer in ANSWERS]
    for (key, rating), number in rated.items():
        for stereotype in next(item.stereotypes for item in items if item.key == key):
            ratings[place[stereotype]][int(rating)] += number
    if n > MOST_DRAWN_ONE_BY_ONE:
        return Tally(n, counts, ratings, None)
    answers = _matrix(of_round, answered[answered["aspect"] == "relevance"], keys)
    said = np.zeros((len(ANSWERS), len(answers), len(ids)), np.int64)
    for column, item in enumerate(items):
        for stereotype in item.stereotypes:
            for i, answer in enumerate(ANSWERS):
                said[i, :, place[stereotype]] = answers[:, column] == answer
    return Tally(n, counts, ratings, said)


def _counted(answered: pd.DataFrame) -> dict[tuple[str, str], int]:
    sizes = answered.groupby(["question", "answer"], observed=True).size()
    return {(str(question), str(answer)): int(number) for (question, answer), number in sizes.items()}  # type: ignore[misc]


def _matrix(of_round: pd.DataFrame, answered: pd.DataFrame, questions: Sequence[str]) -> npt.NDArray[np.object_]:
    """Answers of a round, respondents x questions, None where nothing was answered."""
    people = np.unique(of_round["respondent"].to_numpy())
    found = np.full((len(people), len(questions)), None, dtype=object)
    places = pd.Series(range(len(questions)), index=list(questions))
    rows = np.searchsorted(people, answered["respondent"].to_numpy())
    found[rows, places[answered["question"].astype(str)].to_numpy()] = answered["answer"].to_numpy(dtype=object)
    return found
