"""The sizes of a module made with its defaults, for the hidden tests of several assignments."""

import torch


def by_default(its, name, *inputs, rest=(), **small):
    """Parameters, heads, norm and dropout by default; `small` sizes show the depth of a stack."""
    build = getattr(its, name)
    module = build(*rest, **({"n_layers": 1} if small else {}))
    module.eval()
    output, weights = module(*inputs, need_weights=True)
    module.train()
    one = weights[0] if isinstance(weights, (list, tuple)) and weights else weights
    count = "sum(value.numel() for value in module.parameters())"
    found = {
        "its parameters": its.make(count, module=module).get(),
        "the shape of its weights": list(one.shape) if hasattr(one, "shape") else weights,
        "its output has mean 0": bool((output.mean(-1).abs() < 1e-3).all()),
        "it drops in training": not torch.allclose(module(*inputs)[0], output, atol=1e-3),
    }
    if small:
        found["parts of all layers"] = len(build(*rest, **small).parameters())
    return {f"{fact}, {name} by default": value for fact, value in found.items()}
