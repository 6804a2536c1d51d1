"""Statistics: from pair scores to bias percentages with intervals that allow for how pairs were made.

Pairs share stereotypes, so 42,906 pairs are far fewer than 42,906 independent observations. Everything here
resamples stereotypes, never pairs; the naive binomial interval is shown only beside it, as a warning.

Modules: :mod:`runs` reads pairs and scores; :mod:`subsets` names the parts of a set; :mod:`metrics` has the
percentages; :mod:`clusters` and :mod:`bootstrap` make the intervals; :mod:`analysis` and :mod:`comparison`
put them together; :mod:`harmfulness`, :mod:`languages` and :mod:`editions` answer the questions beside, the
last two by :mod:`paired`; :mod:`tables` writes the files, :mod:`overview` the terminal's table;
:mod:`simulation` makes outcomes whose truth is known. Formulas and sources: ``docs/statistics.md``.
"""
