# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # A walk through the paper
#
# Each of the sixteen stations below begins with a sentence of *Attention Is All You Need* (Vaswani
# et al., 2017), but for one on what the paper does not say. Then comes the code of this course that
# says the same, then a cell that tests whether it does. Read the sentence, say what the code must
# do, read the code, and predict what the cell prints. Then change a line of the code, run both
# cells again, and see which sentence you have broken.
#
# All of it runs on a laptop in a few seconds. It shows the answers of assignments 1 to 4: come
# here when yours are handed in.

# %% setup="a4"

# %% [markdown]
# ## 1. Attention
#
# > We compute the dot products of the query with all keys, divide each by $\sqrt{d_k}$, and apply
# > a softmax function to obtain the weights on the values.
#
# §3.2.1. Three steps, three lines; the others keep a query finite that may attend to nothing.

# %% component="course_lib.attention:attention"

# %%
torch.manual_seed(0)
query, key, value = torch.randn(2, 5, 8), torch.randn(2, 7, 8), torch.randn(2, 7, 3)
may_attend = torch.rand(2, 5, 7) < 0.7
may_attend[:, :, 0] = True  # each query may attend to something
output, weights = attention(query, key, value, may_attend)
torchs = nn.functional.scaled_dot_product_attention(query, key, value, may_attend)
print("largest difference from torch:", f"{(output - torchs).abs().max().item():.0e}")
print("the weights of query 0:", [round(w, 3) for w in weights[0, 0].tolist()])
assert torch.allclose(output, torchs, atol=1e-5)
assert torch.allclose(weights.sum(-1), torch.ones(2, 5))
assert not weights[~may_attend].any()

# %% [markdown]
# ## 2. Why the root?
#
# > … assume that the components of $q$ and $k$ are independent random variables with mean 0
# > and variance 1. Then their dot product, […] has mean 0 and variance $d_k$.
#
# §3.2.1, footnote 4. With a variance of 512, one weight is nearly 1 and the gradient nearly 0.

# %% component="course_lib.analysis.attention_properties:score_statistics"

# %%
sizes = [4, 64, 512]
raw, scaled, largest = score_statistics(sizes, 500, np.random.default_rng(0))
for d_k, before, after, (sharp, soft) in zip(sizes, raw, scaled, largest):
    print(f"d_k = {d_k:3}: variance {before:6.1f}, divided by √d_k {after:.2f}; "
          f"largest weight {sharp:.2f} and {soft:.2f}")
assert np.allclose(raw, sizes, rtol=0.1)
assert np.allclose(scaled, 1, rtol=0.1)

# %% [markdown]
# ## 3. Several heads
#
# > Instead of performing a single attention function with $d_\text{model}$-dimensional keys,
# > values and queries, we found it beneficial to linearly project the queries, keys and values $h$
# > times …
#
# §3.2.2. The $h$ projections are one matrix, whose columns are dealt out to the heads.

# %% component="course_lib.attention:split_heads"

# %% component="course_lib.attention:merge_heads"

# %% component="course_lib.attention:MultiHeadAttention"

# %%
ours = MultiHeadAttention(d_model=16, n_heads=4, dropout=0.0).eval()
torchs = nn.MultiheadAttention(16, 4, batch_first=True).eval()
with torch.no_grad():  # the same weights for both
    torchs.in_proj_weight.copy_(torch.cat([ours.w_q.weight, ours.w_k.weight, ours.w_v.weight]))
    torchs.in_proj_bias.copy_(torch.cat([ours.w_q.bias, ours.w_k.bias, ours.w_v.bias]))
    torchs.out_proj.load_state_dict(ours.w_o.state_dict())
    x = torch.randn(2, 6, 16)
    difference = ours(x, x, x)[0] - torchs(x, x, x, need_weights=False)[0]
print("largest difference from torch:", f"{difference.abs().max().item():.0e}")
assert difference.abs().max() < 1e-5
assert torch.equal(merge_heads(split_heads(x, 4)), x)

# %% [markdown]
# ## 4. … at the price of one
#
# > Due to the reduced dimension of each head, the total computational cost is similar to that of
# > single-head attention with full dimensionality.
#
# §3.2.2.

# %% component="course_lib.analysis.heads:parameter_counts"

# %%
for n_heads in (1, 8, 32):
    weights, biases = parameter_counts(512, n_heads)
    built = MultiHeadAttention(512, n_heads)
    print(f"{n_heads:2} heads of width {512 // n_heads:3}: {weights:,} weights, {biases:,} biases")
    assert weights + biases == sum(p.numel() for p in built.parameters())
    assert (weights, biases) == parameter_counts(512, 1)

# %% [markdown]
# ## 5. Normalization
#
# > We employ a residual connection around each of the two sub-layers, followed by layer
# > normalization.
#
# §3.1. Each position by itself: its neighbors in the sentence and in the batch do not matter. The
# paper gives no ε (row R12 of the paper page).

# %% component="course_lib.normalization:LayerNorm"

# %%
x = 3 + 5 * torch.randn(2, 4, 16)
norm, torchs = LayerNorm(16), nn.LayerNorm(16, eps=1e-6)
print(f"means up to {norm(x).mean(-1).abs().max().item():.0e}, deviations from "
      f"{norm(x).std(-1, correction=0).min().item():.4f}")
assert torch.allclose(norm(x), torchs(x), atol=1e-5)
assert torch.allclose(norm(x)[:1], norm(x[:1]), atol=1e-6)  # the rest of the batch does not matter

# %% [markdown]
# ## 6. The order of a residual connection
#
# > … the output of each sub-layer is $\text{LayerNorm}(x + \text{Sublayer}(x))$ …
#
# > We apply dropout to the output of each sub-layer, before it is added to the sub-layer input
# > and normalized.
#
# §3.1, §5.4. If dropout takes all that the sub-layer wrote, $x$ is left.

# %% component="course_lib.residual:ResidualConnection"

# %%
x, written = torch.randn(2, 4, 16), torch.randn(2, 4, 16)
residual = ResidualConnection(16, dropout=1.0)
assert torch.allclose(residual.eval().leave(x, written), residual.norm(x + written))
assert torch.allclose(residual.train().leave(x, written), residual.norm(x))
print("everything dropped: the normalized input is left, and no layer loses it")

# %% [markdown]
# ## 7. The feed-forward network
#
# > … applied to each position separately and identically. This consists of two linear
# > transformations with a ReLU activation in between.
#
# §3.3. Whatever a word learned from others, it learned in attention.

# %% component="course_lib.feed_forward:FeedForward"

# %%
network, order = FeedForward(16, 64), torch.randperm(6)
x = torch.randn(1, 6, 16)
other = x.clone()
other[0, 3] += 1
moved = (network(other) - network(x)).abs().sum(-1)[0] > 0
print("word 3 changes; outputs that move:", moved.nonzero()[:, 0].tolist())
assert moved.tolist() == [False, False, False, True, False, False]
assert torch.allclose(network(x[:, order]), network(x)[:, order], atol=1e-6)

# %% [markdown]
# ## 8. The encoder
#
# > The encoder is composed of a stack of $N = 6$ identical layers.
#
# §3.1. Identical in form; each has weights of its own.

# %% component="course_lib.encoder:EncoderLayer"

# %% component="course_lib.encoder:Encoder"

# %%
from course_lib.analysis.torch_encoder import copy_encoder_from_torch, torch_encoder

encoder = Encoder(6, d_model=16, n_heads=4, d_ff=32, dropout=0.0).eval()
torchs = torch_encoder(6, 16, 4, 32, dropout=0.0, norm_first=False).eval()
copy_encoder_from_torch(encoder, torchs)
x = torch.randn(2, 5, 16)
difference = (encoder(x)[0] - torchs(x)).abs().max().item()
print(f"{len(encoder.layers)} layers; largest difference from torch's encoder: {difference:.0e}")
assert difference < 1e-4
first, second = (layer.feed_forward.w_1.weight for layer in encoder.layers[:2])
assert not torch.equal(first, second)

# %% [markdown]
# ## 9. What the paper does not mention: padding
#
# The sentences of a batch differ in length, so short ones are padded. The paper says nothing of
# it (row R29 of the paper page); whatever is done, a sentence must not notice its padding.

# %% component="course_lib.masks:padding_mask"

# %%
token_ids = torch.tensor([[5, 9, 7, 0, 0]])
embedded = torch.randn(1, 5, 16)
alone = encoder(embedded[:, :3], padding_mask(token_ids[:, :3]))[0]
padded = encoder(embedded, padding_mask(token_ids))[0][:, :3]
without = encoder(embedded)[0][:, :3]
print(f"difference that padding makes: {(padded - alone).abs().max().item():.0e}, "
      f"without the mask {(without - alone).abs().max().item():.1f}")
assert torch.allclose(padded, alone, atol=1e-5)
assert not torch.allclose(without, alone, atol=1e-2)

# %% [markdown]
# ## 10. The past alone
#
# > This masking, combined with fact that the output embeddings are offset by one position,
# > ensures that the predictions for position $i$ can depend only on the known outputs at
# > positions less than $i$.
#
# §3.1.

# %% component="course_lib.masks:causal_mask"

# %% component="course_lib.masks:target_mask"

# %%
x = torch.randn(1, 6, 16)
later = x.clone()
later[0, 4] += 1
mask = causal_mask(6)
moved = (encoder(later, mask)[0] - encoder(x, mask)[0]).abs().sum(-1)[0] > 0
print("word 4 changes; outputs that move:", moved.nonzero()[:, 0].tolist())
assert moved.tolist() == [False] * 4 + [True] * 2
assert torch.equal(target_mask(token_ids)[0, 0, :, 3:], torch.zeros(5, 2, dtype=torch.bool))

# %% [markdown]
# ## 11. The decoder
#
# > … the decoder inserts a third sub-layer, which performs multi-head attention over the output
# > of the encoder stack.
#
# §3.1; §3.2.3 says which of query, key and value comes from where.

# %% component="course_lib.decoder:DecoderLayer"

# %%
layer = DecoderLayer(16, 4, 32, dropout=0.0).eval()
x, memory = torch.randn(1, 6, 16), torch.randn(1, 5, 16)
source_mask = padding_mask(token_ids)
output, weights = layer(x, memory, causal_mask(6), source_mask, need_weights=True)
hidden = memory.clone()
hidden[0, 3:] = 100  # at padding
seen = memory.clone()
seen[0, 0] += 1
print("weights (batch, heads, target, source):", tuple(weights.shape))
assert torch.allclose(layer(x, hidden, causal_mask(6), source_mask)[0], output, atol=1e-5)
assert ((layer(x, seen, causal_mask(6), source_mask)[0] - output).abs().sum(-1) > 0).all()

# %% [markdown]
# ## 12. Positions
#
# > … for any fixed offset $k$, $PE_{pos+k}$ can be represented as a linear function of $PE_{pos}$.
#
# §3.5, where the paper hopes that this makes it easy to attend by relative position.

# %% component="course_lib.positions:sinusoidal_positions"

# %%
table = sinusoidal_positions(200, 32).double()
assert abs(table[7, 6] - np.sin(7 / 10000 ** (6 / 32))) < 1e-5
assert abs(table[7, 7] - np.cos(7 / 10000 ** (6 / 32))) < 1e-5
speeds = 10000.0 ** (-torch.arange(0, 32, 2).double() / 32)
for k in (1, 7):  # one matrix for all positions, of a rotation for each pair of features
    turns = [torch.tensor([[math.cos(k * w), math.sin(k * w)], [-math.sin(k * w), math.cos(k * w)]])
             for w in speeds.tolist()]
    shift = torch.block_diag(*turns).double()
    error = (table[:190] @ shift.T - table[k : 190 + k]).abs().max().item()
    print(f"k = {k}: largest error over 190 positions {error:.0e}")
    assert error < 1e-3

# %% [markdown]
# ## 13. Embeddings
#
# > In the embedding layers, we multiply those weights by $\sqrt{d_\text{model}}$.
#
# > The positional encodings have the same dimension $d_\text{model}$ as the embeddings, so that
# > the two can be summed.
#
# §3.4, §3.5.

# %% component="course_lib.embeddings:TransformerEmbedding"

# %%
embedding = TransformerEmbedding(50, d_model=16, dropout=0.0)
token_ids = torch.tensor([[5, 9, 5]])
by_hand = 4 * embedding.tokens.weight[token_ids] + sinusoidal_positions(3, 16)
print("a word at two places, one vector?", torch.equal(*embedding(token_ids)[0, [0, 2]]))
assert torch.allclose(embedding(token_ids), by_hand, atol=1e-6)

# %% [markdown]
# ## 14. One matrix in three places
#
# > … we share the same weight matrix between the two embedding layers and the pre-softmax linear
# > transformation.
#
# §3.4. A row of it is a word's meaning on the way in, and decides its chance on the way out.

# %% component="course_lib.decoder:Decoder"

# %% component="course_lib.transformer:Transformer"

# %%
model = Transformer(50, n_layers=2, d_model=16, n_heads=4, d_ff=32, dropout=0.0).eval()
source, target = torch.tensor([[5, 9, 7, 3]]), torch.tensor([[2, 8, 6]])
with torch.no_grad():
    before, _ = model(source, target)
    model.embedding.tokens.weight[40] += torch.randn(16)  # a word that neither sentence has
    moved = ((model(source, target)[0] - before).abs().sum((0, 1)) > 1e-6).nonzero()[:, 0].tolist()
matrices = [name for name, p in model.named_parameters() if 50 in p.shape]
print(f"logits that move: {moved}; matrices with a row per word: {matrices}")
assert moved == [40]
assert matrices == ["embedding.tokens.weight"]

# %% [markdown]
# ## 15. The rate of learning, and softer labels
#
# > … increasing the learning rate linearly for the first $warmup\_steps$ training steps, and
# > decreasing it thereafter proportionally to the inverse square root of the step number.
#
# > … we employed label smoothing of value $\epsilon_{ls} = 0.1$.
#
# §5.3, Eq. 3, and §5.4.

# %% component="course_lib.training.schedules:warmup_rate"

# %% component="course_lib.training.losses:label_smoothed_loss"

# %%
rates = [warmup_rate(step, d_model=512) for step in range(1, 20_001)]
print(f"highest rate {max(rates):.1e} at step {np.argmax(rates) + 1}")
assert np.argmax(rates) + 1 == 4000
assert np.isclose(rates[1999], max(rates) / 2)
assert np.isclose(rates[15_999], max(rates) / 2)  # four times the step, half the rate

logits, labels = torch.randn(8, 50), torch.randint(1, 50, (8,))
torchs = nn.functional.cross_entropy(logits, labels, label_smoothing=0.1)
sure = 30.0 * nn.functional.one_hot(labels, 50)
print(f"the loss of being certain and right: {label_smoothed_loss(sure, labels):.2f}")
assert torch.allclose(label_smoothed_loss(logits, labels), torchs)
assert label_smoothed_loss(sure, labels) > label_smoothed_loss(0.2 * sure, labels)

# %% [markdown]
# ## 16. One word after another
#
# > At each step the model is auto-regressive, consuming the previously generated symbols as
# > additional input when generating the next.
#
# §3. In training, all positions are computed at once; in use, one at a time. The two must agree:
# what a step writes is what one pass over the whole sentence finds most likely at that place.

# %% component="course_lib.decoding.search:greedy"

# %%
from course_lib.decoding.cache import encoded, uncached_step

(found,) = greedy(uncached_step(model), encoded(model, source), n_rows=1, max_length=8)
with torch.no_grad():
    logits, _ = model(source, torch.tensor([[2, *found.tokens]]))
    likely = logits[0].argmax(-1).tolist()
print("written word by word:     ", found.tokens)
print("most likely, in one pass: ", likely[: len(found.tokens)])
assert likely[: len(found.tokens)] == found.tokens

# %% [markdown]
# That is the whole machine. What it still needs is data, a few minutes and the patience to look
# at its mistakes: assignment 4. *The paper, statement by statement* says where the paper
# is silent, and what was chosen there.
