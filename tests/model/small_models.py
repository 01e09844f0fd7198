"""What the tests of models share: drawn tensors, larger weights, and a short training."""

import torch


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def plain(kind, *sizes, **settings):
    """A model as one reads it, beside `fast_model`."""
    return kind(*sizes, **settings)


def enlarged(model):
    """The model in evaluation mode, its weights larger than at first: differences show."""
    for parameter in model.eval().parameters():
        parameter.data += 0.2 * torch.randn(parameter.shape)
    return model


def learned(model, loss, steps, rate):
    """The last of the losses of some steps of AdamW."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        last = loss()
        last.backward()
        optimizer.step()
    return last
