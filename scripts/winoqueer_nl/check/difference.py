"""Gate ``slot_only``: the identity term is the only difference between the two sentences of a pair."""

from __future__ import annotations

from winoqueer_nl.check.context import Collected, Context, Finding


def slot_only(context: Context) -> list[Finding]:
    """Pairs whose sentences differ outside the identity term, by template."""
    found = Collected("slot_only")
    for pair in context.pairs:
        before_x, after_x = pair.sent_x[: pair.span_start_x], pair.sent_x[pair.span_end_x :]
        before_y, after_y = pair.sent_y[: pair.span_start_y], pair.sent_y[pair.span_end_y :]
        if (before_x, after_x) != (before_y, after_y):
            found.add(
                pair.template_id,
                pair.pair_id,
                f"template {pair.template_id}: more than the identity differs: {pair.sent_x!r} / {pair.sent_y!r}",
            )
    return found.findings()
