"""Another style: words one by one, tensors copied by hand, two thin products."""


def own_name(name):
    words = name.split(".")
    if words[0] == "embeddings":
        part = {
            "word_embeddings": "tokens",
            "position_embeddings": "positions",
            "token_type_embeddings": "segments",
            "LayerNorm": "norm",
        }
        return ".".join([part[words[1]], *words[2:]]) if words[1] in part else None
    if words[:2] != ["encoder", "layer"]:
        return None
    parts = {
        "attention.self.query": "attention.w_q",
        "attention.self.key": "attention.w_k",
        "attention.self.value": "attention.w_v",
        "attention.output.dense": "attention.w_o",
        "attention.output.LayerNorm": "attention_residual.norm",
        "intermediate.dense": "feed_forward.w_1",
        "output.dense": "feed_forward.w_2",
        "output.LayerNorm": "feed_forward_residual.norm",
    }
    return f"encoder.layers.{words[2]}.{parts['.'.join(words[3:-1])]}.{words[-1]}"


def encoder_from(config, weights):
    sizes = "num_hidden_layers hidden_size num_attention_heads intermediate_size".split()
    encoder = BertEncoder(
        config["vocab_size"],
        *(config[size] for size in sizes),
        config["hidden_dropout_prob"],
        max_length=config["max_position_embeddings"],
        n_segments=config["type_vocab_size"],
    )
    places = dict(encoder.named_parameters())
    with torch.no_grad():
        for name, tensor in weights.items():
            if own_name(name):
                places[own_name(name)].copy_(tensor)
    norms = [part for part in encoder.modules() if hasattr(part, "eps")]
    for norm in norms:
        norm.eps = config["layer_norm_eps"]
    return encoder


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
