"""Taking models apart: what is saved, and that it changes nothing."""

from __future__ import annotations

import pytest
import scoring_build as build
import torch

from winoqueer_nl.scoring.body import Parts


@pytest.mark.parametrize("name", build.MASKED)
def test_the_last_layer_runs_at_the_masked_positions_alone(name):
    """The states there are those of the whole pass, whatever the batch and the positions.

    ALBERT calls one layer over and over, so there is no last one: it takes the whole pass.
    """
    made = build.tokenizer(build.ARCHITECTURES[name])
    model = build.model(name, len(made))
    lines = [made.encode(text) for text in build.TEXTS]
    parts = Parts(model, torch.tensor([lines[0]]), masked=True)
    assert parts.narrows == (name != "albert")
    sizes = []
    last = [m for m in model.modules() if isinstance(m, torch.nn.Linear)]
    hooks = [m.register_forward_hook(lambda _m, _i, output: sizes.append(tuple(output.shape[:-1]))) for m in last]
    length = len(lines[0])
    ids = torch.tensor([line for line in lines if len(line) == length])
    places = torch.arange(len(ids)) % length
    with torch.inference_mode():
        narrowed = parts.hidden_at(ids, places)
        run_on_one = (len(ids), 1) in sizes
        whole = parts.hidden(ids)[torch.arange(len(ids)), places]
    for hook in hooks:
        hook.remove()
    assert run_on_one == parts.narrows
    assert torch.allclose(narrowed, whole, rtol=0, atol=1e-5)
    with torch.inference_mode():  # a plain pass is whole again
        assert parts.hidden(ids).shape[1] == length


def test_a_module_that_mixes_positions_is_not_narrowed():
    """What is narrowed comes after the last attention: before it, other positions would be lost."""
    made = build.tokenizer("wordpiece cased")
    model = build.model("bert", len(made))
    Parts(model, torch.tensor([made.encode(build.TEXTS[0])]), masked=True)
    narrowed = [name for name, module in model.named_modules() if module._forward_pre_hooks]
    assert [name.removeprefix("bert.inner.") for name in narrowed] == ["encoder.layer.1.attention.output"]


@pytest.mark.parametrize("kind", ["gelu_new", "gelu_fast"])
def test_fused_activations_give_the_same_numbers(kind):
    from transformers.activations import ACT2FN

    from winoqueer_nl.scoring.body import fuse_activations

    plain, fused = ACT2FN[kind], torch.nn.Sequential(ACT2FN[kind])
    fuse_activations(fused)
    x = torch.linspace(-8, 8, 4001)
    assert "forward" in vars(fused[0])
    assert torch.allclose(fused(x), plain(x), rtol=1e-5, atol=1e-6)
