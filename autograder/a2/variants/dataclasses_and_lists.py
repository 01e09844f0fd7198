"""Style: dataclasses, constants and private functions; a deep copy for gradients."""

import math
from dataclasses import dataclass

import matplotlib.pyplot as plt
import torch

_NEGATIVE = -1e30


@dataclass(frozen=True)
class Sizes:
    d_model: int
    n_heads: int

    @property
    def d_k(self):
        return self.d_model // self.n_heads


def _masked_softmax(scores, mask):
    if mask is None:
        return torch.softmax(scores, -1)
    filled = torch.where(mask, scores, torch.full_like(scores, _NEGATIVE))
    log_weights = filled - torch.logsumexp(filled, -1, keepdim=True)
    return torch.where(mask, log_weights.exp(), torch.zeros_like(scores))


def attention(query, key, value, mask=None, dropout=None):
    _check_shapes(query, key, value, mask)
    weights = _masked_softmax(query @ key.transpose(-2, -1) / math.sqrt(key.shape[-1]), mask)
    values = value if dropout is None else value * 1.0
    return (dropout or (lambda w: w))(weights) @ values, weights


def split_heads(x, n_heads):
    sizes = Sizes(x.shape[-1], n_heads)
    if sizes.d_k * n_heads != sizes.d_model:
        raise ValueError(f"{sizes}")
    return x.unflatten(2, (n_heads, sizes.d_k)).swapaxes(1, 2)


def merge_heads(x):
    return x.swapaxes(1, 2).flatten(2)


class MultiHeadAttention(torch.nn.Module):
    """Keeps its sizes in a dataclass and its last weights for plots."""

    def __init__(self, d_model=512, n_heads=8, dropout=0.1, bias=True):
        super().__init__()
        self.sizes = Sizes(d_model, n_heads)
        if self.sizes.d_k * n_heads != d_model:
            raise ValueError(f"{self.sizes}: not divisible")
        self.w_q, self.w_k, self.w_v, self.w_o = [
            torch.nn.Linear(d_model, d_model, bias=bias) for _ in range(4)
        ]
        self.attention_dropout = torch.nn.Dropout(dropout)
        self.last_weights = None
        self.reset_parameters()

    def reset_parameters(self):
        for layer in (self.w_q, self.w_k, self.w_v, self.w_o):
            torch.nn.init.normal_(layer.weight, std=0.02)
            if layer.bias is not None:
                torch.nn.init.zeros_(layer.bias)

    def _heads(self, layer, x):
        return split_heads(layer(x), self.sizes.n_heads)

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = map(self._heads, (self.w_q, self.w_k, self.w_v), (query, key, value))
        heads, weights = attention(q, k, v, mask=mask, dropout=self.attention_dropout)
        self.last_weights = weights.detach()
        return self.w_o(merge_heads(heads)), weights if need_weights else None


class LayerNorm(torch.nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.weight = torch.nn.Parameter(torch.ones(d_model))
        self.bias = torch.nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mu = x.sum(-1, keepdim=True) / self.d_model
        # E[(x − μ)²], with ε inside the root
        sigma = ((x - mu) ** 2).sum(-1, keepdim=True).div(self.d_model).add(self.eps).sqrt()
        return (x - mu) / sigma * self.weight + self.bias


class ResidualConnection(torch.nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.sublayer_norm = LayerNorm(d_model)
        self.drop = torch.nn.Dropout(dropout)
        self.order = "pre" if norm_first else "post"

    def enter(self, x):
        return {"pre": self.sublayer_norm, "post": torch.nn.Identity()}[self.order](x)

    def leave(self, x, y):
        y = sum([x, self.drop(y)])
        return y if self.order == "pre" else self.sublayer_norm(y)


def gradient_norms(module, *inputs):
    """A deep copy takes the gradients, so the module is never touched."""
    import copy

    twin = copy.deepcopy(module)
    twin.zero_grad(set_to_none=True)
    out = twin(*[x.detach().clone() for x in inputs])
    while isinstance(out, tuple):
        out = out[0]
    _probe_loss(out).backward()
    norms = {}
    for name, p in twin.named_parameters():
        if not p.requires_grad:
            continue
        norms[name] = math.sqrt((p.grad**2).sum().item()) if p.grad is not None else 0.0
    return norms


def plot_heads(weights, tokens):
    weights = torch.as_tensor(weights)
    h, n, m = weights.shape
    if not n == m == len(tokens):
        raise ValueError(f"{n} x {m} weights, {len(tokens)} tokens")
    axes = []
    for head in range(h):
        _, ax = plt.subplots()  # a separate figure for every head
        picture = ax.matshow(weights[head].numpy(), vmin=0.0, vmax=1.0, cmap="magma")
        ax.set_xticks(list(range(n)), tokens)
        ax.set_yticks(list(range(n)), tokens)
        ax.set(xlabel="key", ylabel="query")
        ax.set_title(f"layer 0, head {head}")
        plt.colorbar(picture, ax=ax)
        axes.append(ax)
    return axes


def compare_heads(n_heads_list, seeds, d_model=32, steps=100, n_train=1024, n_validation=512):
    import itertools

    return [
        _one_run(n_heads, seed, d_model, steps, n_train, n_validation)
        for seed, n_heads in itertools.product(seeds, n_heads_list)
    ]


def _one_run(n_heads, seed, d_model, steps, n_train, n_validation):
    before = torch.get_rng_state()
    torch.manual_seed(1000 + seed)
    reader = PointerReader(MultiHeadAttention(d_model, n_heads, dropout=0.0), d_model)
    torch.set_rng_state(before)
    generator = torch.Generator()
    generator.manual_seed(1000 + seed)
    training = draw_examples(n_train, generator)
    validation = draw_examples(n_validation, generator)
    train(reader, training, steps, generator)
    return {
        "n_heads": n_heads,
        "seed": seed,
        "parameters": sum(map(torch.numel, reader.parameters())),
        "validation_accuracy": accuracy(reader.eval(), validation),
    }
