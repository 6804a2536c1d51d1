"""Scoring: how much more probable a language model finds the stereotypical sentence of each pair.

The way through, one module each: :mod:`~winoqueer_nl.scoring.pairs` reads the pairs,
:mod:`~winoqueer_nl.scoring.models` and :mod:`~winoqueer_nl.scoring.loading` find and load the model safely,
:mod:`~winoqueer_nl.scoring.tokenizing` turns sentences into token ids, :mod:`~winoqueer_nl.scoring.spans`
says which tokens count, :mod:`~winoqueer_nl.scoring.tokens` lists each log-probability that is needed once,
:mod:`~winoqueer_nl.scoring.masked` and :mod:`~winoqueer_nl.scoring.causal` plan the passes through the model,
:mod:`~winoqueer_nl.scoring.engine` makes them, :mod:`~winoqueer_nl.scoring.shards` keeps what is done, and
:mod:`~winoqueer_nl.scoring.precision` recomputes what a lower precision cannot decide.
:mod:`~winoqueer_nl.scoring.ready` brings a run to its first pass, :mod:`~winoqueer_nl.scoring.run` joins them all,
whole or in parts, and :mod:`~winoqueer_nl.scoring.jobs` says into how many jobs a run is cut.
"""
