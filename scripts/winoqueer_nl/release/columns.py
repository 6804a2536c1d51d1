"""What every released column means; the dataset card and the Croissant file show these texts."""

from __future__ import annotations

SUBSET_TEXTS = {
    "pairs": "one row per sentence pair, with the place of the identity term in each sentence.",
    "stereotypes": "one row per stereotype: its forms, the identities it is about, what the survey said of it.",
    "survey_aggregates": "counts of the survey's answers. No row is a respondent; small counts of people are withheld.",
    "scores": "the score of both sentences of every pair under each scored model.",
}

MEANINGS = {
    "pair_id": "stable id: language, stereotype, template, subject, identity, counter identity",
    "stereotype_id": "id of the stereotype; empty for questions about the respondents",
    "template": "number of the template",
    "template_id": "template, told apart by kind of subject (`5n`: template 5 with a person)",
    "subject": "`group`, or the id of a name or pronoun",
    "name_gender": "female, male or neutral; empty for groups",
    "identity": "id of the identity",
    "counter_identity": "id of the identity in the counter sentence",
    "identity_label": "the identity as published",
    "counter_identity_label": "the counter identity as published",
    "sent_x": "sentence that states the stereotype",
    "sent_y": "the same with the counter identity",
    "span_start_x": "first character of the identity term in `sent_x`, from 0",
    "span_end_x": "character after the identity term in `sent_x`",
    "span_start_y": "first character of the counter identity in `sent_y`, from 0",
    "span_end_y": "character after the counter identity in `sent_y`",
    "predicate": "what is said, in the form that the template takes",
    "tier": "relevance: 1, 2, 3, or -1 (not relevant, no pairs); empty without votes",
    "harmfulness_mean": "mean harmfulness rating; empty without ratings",
    "origin": "where the stereotype comes from: `winoqueer` or the survey that added it",
    "type": "`predicate`, `clause` (a sentence of its own) or `identity` (the identity is the reason given)",
    "gloss": "the stereotype in English",
    "identities": "ids of the identities it is about, separated by `;`",
    "n_pairs": "sentence pairs with this stereotype",
    "n_yes": "answers: yes, this stereotype exists here",
    "n_no": "answers: no, it does not",
    "n_unsure": "answers: not sure (not counted as votes)",
    "n_votes": "votes: yes and no",
    "yes_percentage": "percent of yes among the votes",
    "yes_percentage_low": "lower end of its Wilson 95 % interval, percent",
    "yes_percentage_high": "upper end of its Wilson 95 % interval, percent",
    "tier_1_probability": "share of resamples of respondents that put it into Tier 1",
    "tier_2_probability": "... into Tier 2",
    "tier_3_probability": "... into Tier 3",
    "not_relevant_probability": "... below Tier 3",
    "harmfulness_count": "number of harmfulness ratings",
    "harmfulness_sd": "sample standard deviation of the ratings",
    "votes_of": "id of the stereotype whose votes it shares by declaration",
    "rounds": "rounds of the survey that asked about it, separated by `;`",
    "question": "`relevance`, `harmfulness`, or a question about the respondents",
    "answer": "the answer counted",
    "count": "how many gave it; empty where withheld",
    "suppressed": "whether the count is withheld to protect respondents",
    "model": "name of the scored model",
    "score_x_published": "natural-log score of `sent_x` over the tokens that both sentences share, as published",
    "score_y_published": "the same of `sent_y`",
    "tokens_published": "number of tokens in these scores",
    "score_x_slot": "natural-log score of `sent_x` over the tokens outside the identity term",
    "score_y_slot": "the same of `sent_y`",
    "tokens_slot": "number of tokens in these scores",
}


def meaning(column: str) -> str:
    """What a column means; the columns without an entry are a language's predicate forms."""
    return MEANINGS.get(column, f"the predicate in the form `{column}`")
