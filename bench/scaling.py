"""How the work grows with the names: what the cost model of docs/scaling.md predicts beside what is measured.

Each size runs in a process of its own. Predictions are made from the smallest size alone: pairs from the tables,
everything else in proportion to pairs. Seconds are CPU seconds, which other work on the machine leaves alone.

    python bench/scaling.py [--sizes 1 10 100] [--kinds masked causal] [--most-scored 10]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripts"), str(HERE.parent / "tests" / "scoring")]

import generation  # noqa: E402

from winoqueer_nl import pairs, sources  # noqa: E402
from winoqueer_nl.edition import choose  # noqa: E402
from winoqueer_nl.scoring.pairs import read_pairs  # noqa: E402

#: What each step is a multiple of, for the predictions.
STEPS = ("build_seconds", "prepare_seconds", "masked_positions", "causal_positions", "sentences")
VOCABULARY = 700


def measure(times: int, kinds: list[str]) -> dict[str, Any]:
    """Build the pairs of so many names, and prepare their scoring for the kinds of models asked for."""
    import scoring_build as build

    from winoqueer_nl.scoring.causal import CausalPlan
    from winoqueer_nl.scoring.masked import MaskedPlan
    from winoqueer_nl.scoring.tokens import needed_tokens

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "nl" / "1.0.0" / "pairs.parquet"
        edition = generation.with_names(choose(sources.load(HERE.parent, "nl"), "1.0.0"), times)
        began = time.process_time()
        count = pairs.write(edition, generation.judgements(), (-1,), file, file.with_name("pairs.csv"))
        out: dict[str, Any] = {"names": len(edition.names), "pairs": count}
        out["build_seconds"] = time.process_time() - began
        out["build_megabytes"] = megabytes()
        read = read_pairs(file) if kinds else None
    for kind in kinds:
        assert read is not None
        some = read.frame.iloc[:: max(1, len(read) // 40000)]
        tokenizer = build.tokenizer(
            "wordpiece cased" if kind == "masked" else "byte-level causal",
            [*some["sent_x"], *some["sent_y"]],
            vocabulary=VOCABULARY,
        )
        began = time.process_time()
        needed = needed_tokens(tokenizer, read, kind, kind)
        mask = tokenizer.mask_token_id
        plan: Any = MaskedPlan(needed, mask, 1 << 18) if kind == "masked" else CausalPlan(needed, 1 << 18)
        out["prepare_seconds"] = time.process_time() - began
        out[f"{kind}_positions"] = sum(shard.cost for shard in plan.shards)
        out["sentences"] = len(needed.encoded)
        out[f"{kind}_megabytes"] = megabytes()
        del needed, plan
    return out


def megabytes() -> int:
    """The largest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main() -> None:
    """Measure every size and print each figure with its prediction from the first size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 10, 100], help="how many times the names")
    parser.add_argument("--kinds", nargs="*", default=["masked", "causal"])
    parser.add_argument("--most-scored", type=int, default=10, help="largest size whose scoring is prepared")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(int(arguments.one[0]), arguments.one[1:])))
        return
    first: dict[str, Any] = {}
    print(f"{'size':>5} {'kind':>7} {'figure':>18} {'measured':>14} {'predicted':>14} {'ratio':>6}")
    for times in arguments.sizes:
        for kind in [*arguments.kinds] if times <= arguments.most_scored else [""]:
            command = [sys.executable, __file__, "--one", str(times), *([kind] if kind else [])]
            got = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            base = first.setdefault(kind or arguments.kinds[0], got)
            for figure, value in got.items():
                predicted = None
                if base is not got and figure in STEPS:
                    predicted = base[figure] * got["pairs"] / base["pairs"]
                elif base is not got and figure == "pairs":
                    predicted = predicted_pairs(got["names"])
                shown = f"{predicted:>14,.1f} {value / predicted:>6.2f}" if predicted else ""
                print(f"{times:>4}x {kind:>7} {figure:>18} {value:>14,.1f} {shown}", flush=True)


def predicted_pairs(names: int) -> float:
    """Pairs of groups, and pairs of persons in proportion to the names: both counted in the edition as it is."""
    edition = choose(sources.load(HERE.parent, "nl"), "1.0.0")
    made = [len(batch) for batch in pairs.generate(edition, generation.judgements())]
    none = edition.model_copy(update={"names": edition.names[:0]})
    groups = sum(len(batch) for batch in pairs.generate(none, generation.judgements()))
    return groups + (sum(made) - groups) * names / len(edition.names)


if __name__ == "__main__":
    main()
