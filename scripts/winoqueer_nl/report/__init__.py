"""The report: one self-contained page and the plots as files, from tables that stand already.

Modules: :mod:`data` reads the tables, the dataset and the survey; :mod:`svg` turns plots into bytes that are
the same everywhere; :mod:`plots`, :mod:`relation_plots` and :mod:`survey_plots` draw; :mod:`figures` says
which plots there are and what each shows in words; :mod:`browser` prepares the searchable list of
stereotypes; :mod:`page` writes.
"""
