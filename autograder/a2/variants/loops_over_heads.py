"""Style: loops over heads, slices in place of reshapes, writes into `.data`."""

import torch


def split_heads(x, n_heads):
    d_k, rest = divmod(x.shape[-1], n_heads)
    if rest:
        raise ValueError(f"{x.shape[-1]} features, {n_heads} heads: {rest} left over")
    heads = []
    for i in range(n_heads):
        heads.append(x[:, :, i * d_k : (i + 1) * d_k])
    return torch.stack(heads, 1)


def merge_heads(x):
    joined = x[:, 0]
    for i in range(1, x.shape[1]):
        joined = torch.cat((joined, x[:, i]), dim=2)
    return joined


def copy_from_torch(ours, theirs):
    ours_has, theirs_has = ours.w_q.bias is not None, theirs.in_proj_bias is not None
    if ours_has != theirs_has:
        raise ValueError("bias here, none there")
    d = theirs.embed_dim
    for i, layer in enumerate([ours.w_q, ours.w_k, ours.w_v]):
        layer.weight.data[:] = theirs.in_proj_weight.data[i * d : (i + 1) * d]
        if ours_has:
            layer.bias.data[:] = theirs.in_proj_bias.data[i * d : (i + 1) * d]
    ours.w_o.weight.data[:] = theirs.out_proj.weight.data
    if ours_has:
        ours.w_o.bias.data[:] = theirs.out_proj.bias.data
