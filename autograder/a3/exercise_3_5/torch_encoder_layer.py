"""torch's own encoder layer as an independent reference for exercise 3.5."""

import torch
from torch.nn import TransformerEncoderLayer


def torch_case(norm_first):
    """Input, padding, output and state dict (by our names) of a layer with random weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7 + norm_first)
        theirs = TransformerEncoderLayer(
            8, 2, 12, 0.0, layer_norm_eps=1e-6, batch_first=True, norm_first=norm_first
        )
        with torch.no_grad():
            for value in theirs.parameters():
                value.add_(0.3 * torch.randn_like(value))
            x = torch.randn(3, 5, 8)
            padding = torch.arange(5) >= torch.tensor([[5], [3], [1]])
            theirs.eval()
            output = theirs(x, src_key_padding_mask=padding)
    state = theirs.state_dict()
    names = {
        "self_attn.out_proj": "attention.w_o",
        "linear1": "feed_forward.w_1",
        "linear2": "feed_forward.w_2",
        "norm1": "attention_residual.norm",
        "norm2": "feed_forward_residual.norm",
    }
    ours = {}
    for kind in ("weight", "bias"):
        packed = state[f"self_attn.in_proj_{kind}"].chunk(3)
        ours |= {f"attention.w_{n}.{kind}": v for n, v in zip("qkv", packed, strict=True)}
        ours |= {f"{mine}.{kind}": state[f"{torchs}.{kind}"] for torchs, mine in names.items()}
    return x, padding, output, ours
