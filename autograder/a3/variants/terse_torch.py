"""Style: as short as it gets; lambdas, chained methods, comprehensions, one expression a body."""

import torch
from torch import nn
from torch.nn import functional as F

from course_lib.attention import MultiHeadAttention
from course_lib.normalization import LayerNorm
from course_lib.residual import ResidualConnection


def sinusoidal_positions(n_positions, d_model):
    i = torch.arange(d_model)
    a = torch.arange(n_positions)[:, None] * 1e4 ** (-(i - i % 2) / d_model)
    return torch.where(i % 2 == 0, a.sin(), a.cos())


def padding_mask(token_ids, pad_id=0):
    return token_ids.ne(pad_id)[:, None, None]


class TransformerEmbedding(nn.Module):
    def __init__(
        self, vocab_size, d_model, dropout=0.1, pad_id=0, max_length=512, position_scale=1.0
    ):
        super().__init__()
        self.tokens, self.dropout = nn.Embedding(vocab_size, d_model), nn.Dropout(dropout)
        nn.init.normal_(self.tokens.weight, 0, d_model**-0.5)
        self.tokens.weight.data[pad_id] = 0
        self.table = lambda n: sinusoidal_positions(n, d_model) * position_scale
        self.register_buffer("positions", self.table(max_length), persistent=False)

    def forward(self, token_ids):
        n, d = token_ids.shape[1], self.tokens.embedding_dim
        if n > len(self.positions):
            self.positions = self.table(n).to(self.positions)
        return self.dropout(self.tokens(token_ids) * d**0.5 + self.positions[:n])


class FeedForward(nn.Module):
    def __init__(self, d_model=512, d_ff=2048):
        super().__init__()
        self.w_1, self.w_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_2(F.relu(self.w_1(x)))


class EncoderLayer(nn.Module):
    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.attention_residual, self.feed_forward_residual = (
            ResidualConnection(d_model, dropout, norm_first) for _ in "12"
        )

    def forward(self, x, mask=None, need_weights=False):
        a, f = self.attention_residual, self.feed_forward_residual
        y, weights = self.attention(*(a.enter(x),) * 3, mask, need_weights)
        return f.leave(x := a.leave(x, y), self.feed_forward(f.enter(x))), weights


class Encoder(nn.Module):
    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        super().__init__()
        new = lambda: EncoderLayer(d_model, n_heads, d_ff, dropout, norm_first)  # noqa: E731
        self.layers = nn.ModuleList([new() for _ in range(n_layers)])
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x, mask=None, need_weights=False):
        maps = [(x := y, w)[1] for f in self.layers for y, w in [f(x, mask, need_weights)]]
        return self.norm(x) if self.norm else x, maps if need_weights else None


def masked_mean(x, mask):
    m = mask.flatten(1)[..., None]
    return torch.where(m, x, 0).sum(1) / m.sum(1).clamp(1)


class EncoderClassifier(nn.Module):
    def __init__(
        self,
        vocab_size,
        n_classes=2,
        n_layers=6,
        d_model=512,
        n_heads=8,
        d_ff=2048,
        dropout=0.1,
        norm_first=False,
        pooling="mean",
        pad_id=0,
        position_scale=1.0,
    ):
        super().__init__()
        self.pool = {"mean": masked_mean, "cls": lambda x, _: x[:, 0]}.get(pooling)
        if not self.pool:
            raise ValueError(pooling)
        self.embedding = TransformerEmbedding(
            vocab_size, d_model, dropout, pad_id, position_scale=position_scale
        )
        self.encoder = Encoder(n_layers, d_model, n_heads, d_ff, dropout, norm_first)
        self.dropout, self.output, self.pad = (
            nn.Dropout(dropout),
            nn.Linear(d_model, n_classes),
            pad_id,
        )

    def forward(self, token_ids, need_weights=False):
        m = padding_mask(token_ids, self.pad)
        x, w = self.encoder(self.embedding(token_ids), m, need_weights)
        return self.output(self.dropout(self.pool(x, m))), w


def warmup_rate(step, d_model, warmup_steps=4000):
    if step <= 0:
        raise ValueError(step)
    return (d_model * max(step, warmup_steps**3 / step**2)) ** -0.5


class WarmupSchedule(torch.optim.lr_scheduler.LambdaLR):
    def __init__(self, optimizer, d_model, warmup_steps=4000):
        super().__init__(optimizer, lambda n: warmup_rate(n + 1, d_model, warmup_steps))


def paper_optimizer(model, d_model, warmup_steps=4000):
    if warmup_steps <= 0:
        raise ValueError("warmup_steps must be positive")
    adam = torch.optim.Adam(model.parameters(), (d_model * warmup_steps) ** -0.5, (0.9, 0.98), 1e-9)
    return adam, torch.optim.lr_scheduler.LambdaLR(
        adam, lambda n: min((n + 1) / warmup_steps, (warmup_steps / (n + 1)) ** 0.5)
    )


def training_step(
    model,
    token_ids,
    labels,
    optimizer,
    schedule,
    max_norm=1.0,
    label_smoothing=0.1,
    backward=torch.Tensor.backward,
    clip=nn.utils.clip_grad_norm_,
):
    y = model.train()(token_ids)[0]
    backward(loss := nn.CrossEntropyLoss(label_smoothing=label_smoothing)(y, labels))
    norm, lr = clip(model.parameters(), max_norm=max_norm).item(), optimizer.param_groups[0]["lr"]
    optimizer.step(), schedule.step(), optimizer.zero_grad()
    hits = y.max(-1).indices.eq(labels).float()
    names = "loss gradient_norm learning_rate accuracy".split()
    return dict(zip(names, (loss.item(), norm, lr, hits.mean().item()), strict=True))


def attention_received(weights, mask):
    m = mask[:, 0, 0].to(weights)
    return (
        torch.einsum("bhqk,bq,bk->bk", weights, m, m) / weights.shape[1] / m.sum(-1, True).clamp(1)
    )


def classification_scores(predictions, labels):
    if len(predictions) != len(labels) or not len(labels):
        raise ValueError(f"{len(predictions)} and {len(labels)}")
    pairs = [(bool(g), bool(t)) for g, t in zip(predictions, labels, strict=True)]
    tp, fp, fn = (pairs.count(p) for p in [(True, True), (True, False), (False, True)])
    n, over = len(pairs), lambda a, b: a / b if b else 0.0
    p = 1 - (fp + fn) / n
    return {
        "accuracy": p,
        "precision": over(tp, tp + fp),
        "recall": over(tp, tp + fn),
        "f1": over(tp, tp + (fp + fn) / 2),
        "standard_error": (p * (1 - p) / n) ** 0.5,
    }


def initialize(model, scheme, generator):
    draw = {
        "xavier": lambda w: nn.init.xavier_uniform_(w, generator=generator),
        "he": lambda w: nn.init.kaiming_normal_(w, generator=generator),
        "normal": lambda w: nn.init.normal_(w, 0, 0.02, generator),
    }
    if scheme not in draw:
        raise ValueError(f"{scheme}: {[*draw]}")
    for m in filter(lambda m: isinstance(m, nn.Linear), model.modules()):
        draw[scheme](m.weight), m.bias is None or nn.init.zeros_(m.bias)
