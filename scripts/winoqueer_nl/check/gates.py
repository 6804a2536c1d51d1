"""The gates by name, in the order in which they report. docs/gates.md explains each to a linguist."""

from __future__ import annotations

#: gate -> (module in winoqueer_nl.check that finds it, what must hold)
GATES: dict[str, tuple[str, str]] = {
    "slot_only": ("difference", "the two sentences of a pair differ in the identity term alone"),
    "term_form": ("terms", "both identity terms of a pair have the same syntactic form"),
    "term_casing": ("terms", "identity terms are cased as the language writes them inside a sentence"),
    "term_wording": ("terms", "an identity is written in one way in all templates that take the same form of it"),
    "label": ("terms", "an identity term starts with the label of its identity"),
    "blanks": ("blanks", "no doubled blank, none at an end, none before a punctuation mark, no line break"),
    "final_mark": ("marks", "a sentence ends in one punctuation mark"),
    "signs": ("marks", "apostrophes and quotation marks are of one kind"),
    "capital_first": ("marks", "a sentence starts with a capital"),
    "spelling": ("spelling", "every word stands in the dictionary or in the project's word list"),
    "phrases": ("phrases", "no phrase that the project's list rejects"),
    "double_word": ("phrases", "no word twice in a row"),
    "repeated_verb": ("carriers", "a predicate does not repeat the verb that stands before the identity term"),
    "carrier": ("carriers", "all sentences of a template have the same wording around identity and predicate"),
    "agreement": ("agreement", "pronouns and gendered nouns agree with the person"),
    "content_words": ("content_words", "the forms of a stereotype share their content words"),
    "contrast": ("contrast", "a predicate that names one of the two groups is marked non-contrastive"),
    "repeats": ("repeats", "no pair stands twice"),
    "coverage": ("coverage", "every stereotype, identity, template and fitting name is there, or its absence declared"),
    "placeholders": ("placeholders", "no untranslated or unfinished text"),
    "metadata": ("metadata_agreement", "the metadata shows the predicates of the pairs"),
    "released": ("released_pairs", "the pairs of a released edition are those of the release"),
}
