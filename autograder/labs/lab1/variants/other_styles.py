"""Another style: losses by hand, complex numbers, lists, no inheritance of shapes."""


def language_loss(model, token_ids, label_smoothing=0.0):
    logs = model(token_ids)[:, :-1].log_softmax(-1)  # the last prediction is not needed
    right = logs.gather(-1, token_ids[:, 1:, None])[..., 0]
    return -((1 - label_smoothing) * right + label_smoothing * logs.mean(-1)).mean(), {}


def rotate(x, positions):
    d_k = x.shape[-1]
    if d_k % 2 == 1:
        raise ValueError("features are turned in pairs: their number must be even")
    pairs = torch.complex(*x.float().split(d_k // 2, dim=-1))
    exponents = torch.arange(0, d_k, 2, device=x.device) / d_k
    angles = positions[..., None].float() * torch.exp(-math.log(10000.0) * exponents)
    product = pairs * torch.exp(1j * angles)[:, None]
    return torch.cat([product.real, product.imag], dim=-1).to(x.dtype)


def perplexity(model, tokens, length, rows=64):
    mode, losses, counts = model.training, [], []
    model.eval()
    try:
        with torch.no_grad():
            for start in range(0, len(tokens) - 1, length):
                block = tokens[None, start : start + length + 1]
                block = block.to(next(model.parameters()).device)
                losses.append(language_loss(model, block)[0].item())
                counts.append(block.shape[1] - 1)
    finally:
        model.train(mode)
    return math.exp(sum(a * b for a, b in zip(losses, counts, strict=True)) / sum(counts))


@torch.no_grad()
def generate(
    model,
    prompts,
    max_new_tokens,
    temperature=1.0,
    top_k=None,
    top_p=None,
    end=None,
    generator=None,
):
    # Every text goes on to the end; what follows its end is cut off afterwards.
    if min(map(len, prompts), default=0) == 0:
        raise ValueError("give every prompt a token")
    longest = max(len(prompt) for prompt in prompts)
    device = model.tokens.weight.device
    texts = torch.full((len(prompts), longest), model.pad_id, device=device)
    for row, prompt in enumerate(prompts):
        texts[row, longest - len(prompt) :] = torch.as_tensor(prompt, device=device)
    caches = [KeysAndValues() for _ in model.blocks]
    for _ in range(max_new_tokens):
        logits = model(texts, caches)[:, -1]
        new = next_tokens(logits, temperature, top_k, top_p, generator)
        texts = torch.cat([texts, new.unsqueeze(1)], dim=1)
    found = texts[:, longest:].tolist()
    return [text[: text.index(end)] if end in text else text for text in found]
