"""Another style: words one by one, tensors copied by hand, two thin products."""


def sentence_vectors(encoder, token_ids):
    x = encoder(token_ids)[0]
    real = (token_ids != encoder.pad_id).unsqueeze(-1)
    total = (x * real).sum(1)
    return total / total.norm(dim=1, keepdim=True)


class LowRankLinear(nn.Module):
    def __init__(self, linear, rank, alpha=16.0):
        super().__init__()
        if not rank >= 1:
            raise ValueError("the rank is at least 1")
        for parameter in linear.parameters():
            parameter.requires_grad = False
        self.linear, self.factor = linear, alpha / rank
        self.A = nn.Parameter(torch.empty(rank, linear.weight.shape[1]))
        nn.init.kaiming_uniform_(self.A)
        self.B = nn.Parameter(torch.zeros(linear.weight.shape[0], rank))

    @property
    def weight(self):
        return self.linear.weight + self.B @ (self.factor * self.A)

    @property
    def bias(self):
        return self.linear.bias

    def forward(self, x):
        return self.linear(x) + self.factor * ((x @ self.A.T) @ self.B.T)


def add_low_rank(model, rank, alpha=16.0, names=("w_q", "w_v")):
    for parameter in model.parameters():
        parameter.requires_grad = False
    replaced = 0
    for part in list(model.modules()):
        for name, child in list(part.named_children()):
            if name in names and isinstance(child, nn.Linear):
                setattr(part, name, LowRankLinear(child, rank, alpha))
                replaced += 1
    if replaced == 0:
        raise ValueError("there is nothing to adapt")
