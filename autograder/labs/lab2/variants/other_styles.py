"""Another style: loops over gaps, ready-made containers, means by sums."""


def mask_tokens(token_ids, vocab_size, generator, share=0.15):
    if share <= 0 or share >= 1:
        raise ValueError("a share lies between 0 and 1")
    n_special = 5
    inputs, targets = token_ids.clone(), torch.full_like(token_ids, -100)
    picks = torch.rand(token_ids.shape, generator=generator) < share
    for place in (picks & (token_ids >= n_special)).nonzero().tolist():
        at = tuple(place)
        targets[at] = token_ids[at]
        luck = torch.rand((), generator=generator).item()
        if luck < 0.8:
            inputs[at] = TextTokenizer.MASK
        elif luck < 0.9:
            inputs[at] = torch.randint(n_special, vocab_size, (), generator=generator)
    return inputs, targets


def masked_language_loss(
    model, token_ids, targets, segment_ids=None, unrelated=None, label_smoothing=0.0
):
    logits, follows = model(token_ids, segment_ids)
    gaps = (targets >= 0).nonzero(as_tuple=True)
    found, wanted = logits[gaps], targets[gaps]
    if len(wanted) == 0:
        loss, accuracy = logits.sum() * 0.0, torch.tensor(0.0)
    else:
        loss = F.cross_entropy(found, wanted, label_smoothing=label_smoothing)
        accuracy = (found.argmax(-1) == wanted).double().mean()
    measures = {"accuracy": accuracy}
    if unrelated is not None:
        loss = loss + F.cross_entropy(follows, unrelated)
        measures["next_accuracy"] = (follows.argmax(-1) == unrelated).double().mean()
    return loss, measures


def gap_measures(model, batches):
    mode = model.training
    model.eval()
    batches.set_epoch(0)
    device = next(model.parameters()).device
    sums, right, gaps = [], 0, 0
    with torch.no_grad():
        for batch in batches:
            ids, targets = batch[0].to(device), batch[1].to(device)
            where = targets != -100
            logits = model(ids)[0][where]
            sums.append(F.cross_entropy(logits, targets[where], reduction="sum").item())
            right += (logits.argmax(-1) == targets[where]).sum().item()
            gaps += where.sum().item()
    model.train(mode)
    return {"gap_perplexity": math.exp(sum(sums) / gaps), "gap_accuracy": right / gaps}


class TextClassifier(nn.Module):
    def __init__(self, encoder, n_classes=2, dropout=0.1, pooling="cls"):
        super().__init__()
        if pooling not in {"cls", "mean"}:
            raise ValueError("pooling is cls or mean")
        width = encoder.tokens.weight.shape[1]
        self.encoder = encoder
        if pooling == "cls":
            self.pooler = Pooler(width)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(width, n_classes)

    def forward(self, token_ids, segment_ids=None, need_weights=False):
        x, weights = self.encoder(token_ids, segment_ids, need_weights)
        if hasattr(self, "pooler"):
            vector = self.pooler(x)
        else:
            real = (token_ids != self.encoder.pad_id).unsqueeze(-1)
            vector = (x * real).sum(1) / real.sum(1).clamp(min=1)
        return self.output(self.dropout(vector)), weights


class TokenClassifier(nn.Module):
    def __init__(self, encoder, n_classes, dropout=0.1):
        super().__init__()
        self.encoder, self.dropout = encoder, nn.Dropout(dropout)
        self.output = nn.Linear(encoder.tokens.embedding_dim, n_classes)

    def forward(self, token_ids, segment_ids=None):
        return self.output(self.dropout(self.encoder(token_ids, segment_ids)[0]))


class SpanFinder(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder, self.output = encoder, nn.Linear(encoder.tokens.embedding_dim, 2)

    def forward(self, token_ids, segment_ids=None):
        both = self.output(self.encoder(token_ids, segment_ids)[0])
        pads = token_ids.eq(self.encoder.pad_id)
        starts, ends = both[..., 0], both[..., 1]
        return starts.masked_fill(pads, -torch.inf), ends.masked_fill(pads, -torch.inf)
