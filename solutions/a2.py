# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown] title="a2"
# In assignment 1 each query read one average. The paper argues that this is not enough (§3.2.2):
#
# > Multi-head attention allows the model to jointly attend to information from different
# > representation subspaces at different positions. With a single attention head, averaging
# > inhibits this.
#
# You write attention again, now on tensors with gradients; run several heads side by side; and wrap
# them in the residual connection and layer normalization that every sub-layer of the Transformer
# has. Then you test the sentence above: you count what heads cost, look at what they learn, and
# compare one head with many.
#
# <details><summary><b>Names, shapes and masks</b>: look here when a shape is unclear</summary>
#
# | name | shape | |
# |---|---|---|
# | `query`, `key`, `value` of the module | `(batch, n, d_model)` | what goes in |
# | the same inside a head | `(batch, n_heads, n, d_k)` | `d_k = d_model / n_heads` |
# | `weights` | `(batch, n_heads, n_q, n_k)` | one map per head |
# | `mask` | broadcasts to the weights | boolean, **True = may attend** |
#
# A mask of shape `(n_q, n_k)` applies to all examples and heads; one of shape `(batch, 1, 1, n_k)`
# hides padding. Broadcasting handles both.
#
# Each experiment starts with a prediction. It gives no points, so a wrong one costs nothing: write
# yours before you run the cell, and come back to it afterwards.
#
# </details>

# %% [markdown] drawing="mask_grids"
# *Two masks, and the pairs of query and key that both allow, for a sentence of three words and two
# padding tokens.*

# %% setup="a2"

# %% [markdown] exercise="2.1"
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V
# \qquad\text{(§3.2.1, Eq. 1)}$$
#
# The function of exercise 1.4, on tensors. Two things are new. Autograd differentiates every line
# you write. And there is dropout: a callable (an `nn.Dropout`, say) that is applied to the weights
# before they multiply the values. The paper does not mention it; its released code and torch's
# module have it.
#
# - Return `(output, weights)`; the weights are those *before* dropout.
# - The shape checks are given: call `_check_shapes` first.
# - A query whose keys are all masked gets zero weights, a zero output, and **finite gradients**.
# - Any number of leading axes; no loop over tokens, heads or examples.
#
# **The trap.** `torch.where(mask, x, 0)` replaces a NaN by 0 in the forward pass. In the backward
# pass, the operation that produced the NaN receives a gradient of 0. What is 0 · NaN? So where must
# a NaN never appear in the first place?

# %% component="course_lib.attention:attention"

# %% check="2.1"

# %% [markdown] exercise="2.2"
# $$\mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \ldots, \mathrm{head}_h)W^O$$
#
# The paper gives each head its own matrices $W_i^Q$ of $d_{model} \times d_k$. Side by side they
# form one matrix of $d_{model} \times d_{model}$, and one product serves all heads. What remains is
# to split its result into heads, and to merge the heads' results again.
#
# - `split_heads(x, n_heads)`: `(batch, n, d_model)` → `(batch, n_heads, n, d_k)`. Head $i$ owns
#   the features $i\,d_k, \ldots, (i+1)\,d_k - 1$ of every token.
# - `merge_heads(x)`: the inverse.
# - If `n_heads` does not divide the number of features: `ValueError` that names both numbers.
#
# **The trap.** `x.view(batch, n_heads, n, d_k)` has the right shape. Write down which numbers head
# 0 gets from two tokens of four features: is it half of each token? And why does `view` fail on
# what `transpose` returns?

# %% [markdown] drawing="split_heads"
# *Three tokens of eight numbered features, and four heads. Follow one number: which head gets it,
# and in which row?*

# %% component="course_lib.attention:split_heads"

# %% component="course_lib.attention:merge_heads"

# %% check="2.2"

# %% [markdown] exercise="2.3"
# $$\mathrm{head}_i = \mathrm{Attention}(QW_i^Q,\; KW_i^K,\; VW_i^V), \qquad
# \mathrm{MultiHead}(Q, K, V) = \mathrm{Concat}(\mathrm{head}_1, \ldots, \mathrm{head}_h)W^O$$
#
# "In this work we employ $h = 8$ parallel attention layers, or heads. For each of these we use
# $d_k = d_v = d_{model}/h = 64$" (§3.2.2).
#
# - Four `nn.Linear(d_model, d_model, bias=bias)` with the names `w_q`, `w_k`, `w_v`, `w_o`, and no
#   other parameters. Give no layer a second name, as in an `nn.ModuleList` of all four: the state
#   dict would list it twice.
# - `forward` returns `(output, weights)`, or `(output, None)` unless `need_weights`.
# - Query, key and value may be three different tensors; there may be more keys than queries.
# - Dropout is applied to the weights, in training only.
# - If `n_heads` does not divide `d_model`: `ValueError` that names both.
#
# **The trap.** Which square root are the scores divided by: that of the module's width, or of a
# head's?

# %% [markdown] drawing="multi_head"
# *The right half of the paper's Figure 2, with the sizes of its base model. Which of the boxes have
# parameters?*

# %% component="course_lib.attention:MultiHeadAttention"

# %% check="2.3"

# %% [markdown] prediction="2.3"
# **Prediction: cross-attention.** In a decoder "the queries come from the previous decoder layer,
# and the memory keys and values come from the output of the encoder" (§3.2.3). Below, 3 target
# tokens attend to 7 source tokens. What are the shapes of the output and the weights with four
# heads? What happens to each when the seven source tokens are shuffled?
#
# <!-- answer -->
# The output has one row per query, `(1, 3, 32)`; the weights have one map per head, `(1, 4, 3, 7)`.
# A shuffle permutes the columns of the weights and does not change the output: every key keeps its
# own value, and a sum does not depend on the order of its terms. Attention does not know the order
# of its memory; the order has to be encoded in the tokens.

# %%
with needs("2.3"):
    torch.manual_seed(3)
    module = MultiHeadAttention(d_model=32, n_heads=4).eval()
    target, source = torch.randn(1, 3, 32), torch.randn(1, 7, 32)
    output, weights = module(target, source, source, need_weights=True)
    print("output", tuple(output.shape), "weights", tuple(weights.shape))

    order = torch.randperm(7)
    shuffled = source[:, order]
    output_2, weights_2 = module(target, shuffled, shuffled, need_weights=True)
    moved = weights[..., order]
    print("output changes by          ", (output_2 - output).abs().max().item())
    print("weights, columns moved, by ", (weights_2 - moved).abs().max().item())

# %% [markdown] exercise="2.4"
# Your module computes what `torch.nn.MultiheadAttention` computes. To show it, give yours torch's
# weights and compare. This is the only exercise in which you may use that class.
#
# The two follow different conventions:
#
# | | this course | `nn.MultiheadAttention` |
# |---|---|---|
# | mask | boolean, True = may attend | boolean, **True = blocked** |
# | its shape | `(batch, heads, n_q, n_k)`, broadcast | `(n_q, n_k)`, `(batch·heads, n_q, n_k)` |
# | projections | `w_q`, `w_k`, `w_v` | query, key, value, stacked in `in_proj_weight` |
# | output layer | `w_o` | `out_proj` |
#
# `in_proj_weight` is `(3·d_model, d_model)`. The biases, if there are any, are `in_proj_bias`,
# stacked the same way, and `out_proj.bias`.
#
# - `to_torch_mask(mask, n_heads)` takes `(n_q, n_k)` or `(batch, 1 or n_heads, n_q, n_k)` and
#   returns torch's form; the heads of one example are adjacent. Any other number of axes is a
#   `ValueError`.
# - `copy_from_torch(ours, theirs)` copies weights and biases into our module and returns nothing.
#   It writes into the existing parameters, so an optimizer that holds them stays valid. If one
#   module has biases and the other has none: `ValueError`.
#
# torch itself is not consistent: `F.scaled_dot_product_attention` uses True = may attend, as we do.
#
# **The trap.** An inverted mask raises no error. Which test would notice?

# %% component="course_lib.analysis.torch_attention:to_torch_mask"

# %% component="course_lib.analysis.torch_attention:copy_from_torch"

# %% check="2.4"

# %%
with needs("2.3", "2.4"):
    torch.manual_seed(4)
    theirs = nn.MultiheadAttention(320, 8, batch_first=True).eval()
    nn.init.normal_(theirs.in_proj_bias)  # torch starts it at zero, which would hide mistakes
    ours = MultiHeadAttention(320, 8).eval()
    copy_from_torch(ours, theirs)
    x = torch.randn(2, 10, 320)
    causal = torch.ones(10, 10, dtype=torch.bool).tril()
    padding = torch.arange(10) < torch.tensor([[10], [6]])  # example 1 has four padding tokens
    both = causal & padding[:, None, None, :]
    for name, mask in {"none": None, "causal": causal, "causal and padding": both}.items():
        blocked = None if mask is None else to_torch_mask(mask, 8)
        pair = (theirs(x, x, x, attn_mask=blocked, average_attn_weights=False),
                ours(x, x, x, mask, need_weights=True))
        far = [(a - b).abs().max().item() for a, b in zip(*pair, strict=True)]
        print(f"mask {name:18} output differs by {far[0]:.1e}, weights by {far[1]:.1e}")
    inverted, right = theirs(x, x, x, attn_mask=causal)[0], ours(x, x, x, causal)[0]
    far = (inverted - right).abs().amax(dim=(0, 2)).detach().numpy()
    print("our causal mask passed to torch unconverted, difference by query:", far.round(2))

# %% [markdown]
# The last line shows the trap of this exercise: torch accepts our mask and returns different
# numbers, and NaN only for the last query, for which every key is blocked.
#
# **Quiz.** Our masks combine with `&`: a pair may attend if the causal mask *and* the padding mask
# allow it. Suppose you have converted both for torch first. Which operator combines them now?
#
# <details><summary>Answer</summary>
#
# With `|`. There True = blocked, and a pair is blocked if one mask *or* the other blocks it. By De
# Morgan, `~(a & b)` equals `~a | ~b`. Convert once, at the boundary, and do all combining on one
# side of it.
# </details>

# %% [markdown] exercise="2.5"
# $$\mathrm{LayerNorm}(x) = \gamma \odot \frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta,
# \qquad \mu = \frac1d\sum_{i=1}^{d} x_i, \quad \sigma^2 = \frac1d\sum_{i=1}^{d}(x_i - \mu)^2$$
#
# The paper names layer normalization (§3.1) and cites its source for the formula. Each position is
# normalized over its own features; no other token or example is involved.
#
# - $\gamma$ is the parameter `weight`, initialized to ones; $\beta$ is `bias`, initialized to
#   zeros.
# - The variance is the **biased** one (divided by $d$), and $\epsilon$ is **inside** the root.
# - `eps` is a constructor argument, $10^{-6}$ by default.
# - Average $(x_i - \mu)^2$, as the formula says. $E[x^2] - E[x]^2$ is the same on paper, but in
#   float32 it loses all precision when the mean is large.
#
# **The trap.** What do `torch.std` and `torch.var` divide by unless told otherwise?

# %% component="course_lib.normalization:LayerNorm"

# %% check="2.5"

# %% [markdown] prediction="2.5"
# **Prediction: does it matter?** A widespread implementation divides by `x.std(-1) + eps`: an
# unbiased standard deviation, and ε outside the root. How large is the largest difference from
# yours for `d_model` = 512 and inputs of scale 1? And for `d_model` = 4 and inputs of scale 0.001?
#
# <!-- answer -->
# At 512 the two variances differ by a factor of 512/511 and the results by one part in a thousand:
# about 0.004 for the largest values, and no experiment would notice. At 4 the factor is 4/3, or
# some 13 % of the result. And at scale 0.001 the variance, near $10^{-6}$, is no larger than ε
# inside the root, while outside the root ε is a thousandth of the standard deviation: together the
# largest difference is about 1. A test has to use inputs where the difference shows.

# %%
with needs("2.5"):
    for d_model, scale in ((512, 1.0), (4, 0.001)):
        x = scale * torch.randn(100, d_model, generator=torch.Generator().manual_seed(5))
        common = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)
        far = (LayerNorm(d_model)(x) - common).abs().max()
        print(f"d_model {d_model:3}, scale {scale:5}: largest difference {float(far.detach()):.4f}")

# %% [markdown] exercise="2.6"
# $$\text{post-norm: } \mathrm{LayerNorm}(x + \mathrm{Sublayer}(x)) \qquad
# \text{pre-norm: } x + \mathrm{Sublayer}(\mathrm{LayerNorm}(x))$$
#
# "The output of each sub-layer is $\mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))$" (§3.1): the paper
# is post-norm. Many later models are pre-norm, and some texts swap the two names. The name says
# where the norm is: after the addition, or before the sub-layer.
#
# A layer writes `y = sublayer(residual.enter(x))` and then `x = residual.leave(x, y)`.
#
# - `enter(x)` returns what the sub-layer reads, and `leave(x, y)`, with the sub-layer's output `y`,
#   what comes next. Neither of them changes the tensors that it is given.
# - "We apply dropout to the output of each sub-layer, before it is added to the sub-layer input and
#   normalized" (§5.4).
# - The attributes are `norm`, your `LayerNorm`, and `dropout`.
#
# **The trap.** In pre-norm, which `x` bypasses the sub-layer: the one before the norm or after?

# %% component="course_lib.residual:ResidualConnection"

# %% check="2.6"

# %% [markdown] drawing="residual_orders"
# *Both orders, part by part, as your module runs them. In which of the two is there a path from $x$
# to the output without a norm?*

# %% [markdown] exercise="2.7"
# "Due to the reduced dimension of each head, the total computational cost is similar to that of
# single-head attention with full dimensionality" (§3.2.2). Count the parameters from the paper's
# matrices, $W_i^Q, W_i^K, W_i^V \in \mathbb{R}^{d_{model} \times d_k}$ for each of the $h$ heads
# and $W^O \in \mathbb{R}^{h d_v \times d_{model}}$, without building the module. Return `(weights,
# biases)`; each output of each linear map has one bias, or none if `bias` is false.

# %% component="course_lib.analysis.heads:parameter_counts"

# %% check="2.7"

# %% [markdown] prediction="2.7"
# **Prediction.** With `d_model` = 512, how many parameters does the module have with 1, 2, 8 and 64
# heads? And how many attention weights does it compute for one example of 100 tokens?
#
# <!-- answer -->
# Always 1,048,576 + 2,048: with more heads each is narrower, and $h \cdot d_k = d_{model}$ is
# unchanged. The attention weights are $h$ maps of $100 \times 100$: 10,000 numbers with one head
# and 640,000 with 64. Heads cost no parameters, but they do cost maps.

# %%
with needs("2.3", "2.7"):
    for n_heads in (1, 2, 8, 64):
        module = MultiHeadAttention(512, n_heads)
        counted = sum(p.numel() for p in module.parameters())
        theory = parameter_counts(512, n_heads)
        maps = n_heads * 100 * 100
        print(f"{n_heads:2} heads: theory {theory}, module {counted:,}, maps {maps:,}")

# %% [markdown] exercise="2.8"
# A parameter learns only through its gradient. Measure how much gradient arrives where: for each
# trainable parameter of a module, by name (`"w_q.weight"`), the Euclidean norm of its gradient.
#
# - The loss to differentiate is given: `_probe_loss(output)`. If the module returns a tuple, the
#   output is its first element.
# - A parameter that the output does not depend on gets 0.0; omit frozen parameters
#   (`requires_grad=False`).
# - Return a dict of plain floats, and leave no side effects: no `.grad` written, no hook left
#   behind, every submodule in the mode (training or evaluation) it was in, and no random generator
#   advanced or reseeded, unless the module itself draws, as dropout does. Without dropout, a second
#   call returns the same numbers as the first.
#
# **The trap.** `_probe_loss` is not a plain sum. What does a layer-normalized row sum to, whatever
# its input, and what is the gradient of a constant?

# %% component="course_lib.analysis.heads:gradient_norms"

# %% check="2.8"

# %% [markdown] prediction="2.8"
# **Prediction: eight bars.** The cell below computes the norms for one freshly initialized
# multi-head attention. One of its eight parameters has gradient zero, for every input and every
# loss. Which one, and why? (Add the same vector $b$ to every key, and look at one row of scores.)
#
# <!-- answer -->
# `w_k.bias`. A vector $b$ added to every key adds the same number $q \cdot b / \sqrt{d_k}$ to all
# scores of a query, and a softmax does not change when all of its inputs are shifted by the same
# amount. The key bias has no effect, so no gradient reaches it (the printed value, some $10^{-7}$,
# is rounding error). The query bias does have one: it adds $b \cdot k_j / \sqrt{d_k}$, which
# differs from key to key.

# %%
with needs("2.3", "2.8"):
    torch.manual_seed(8)
    module = MultiHeadAttention(64, 4, dropout=0.0)
    x = torch.randn(2, 10, 64)
    norms = gradient_norms(module, x, x, x)
    figure, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
    ax.bar(list(norms), list(norms.values()), color=plt.get_cmap("viridis")(0.4))
    ax.tick_params(axis="x", rotation=45)
    ax.set(title="Gradient by parameter", xlabel="parameter", ylabel="norm of the gradient")
    print({name: float(f"{norm:.2g}") for name, norm in norms.items()})
    describe(ax, "Eight bars, one per parameter; their heights are the norms printed above.")

# %% [markdown] prediction="2.8"
# **Prediction: a stack of six.** Six attention layers on top of each other: bare, with a residual
# connection around each in the paper's order, and in pre-norm order. The figure shows the gradient
# at `w_q.weight` of each layer. In which stack, and in which of its layers, is it smallest?
#
# <!-- answer -->
# In the bare stack, in its *upper* layers, which are nearest to the loss: it is some $10^{-9}$ from
# the third layer on. An untrained layer weights all tokens almost equally, so all positions leave
# it with almost the same average. The next layer sees keys that are all alike, and no query can
# tell them apart: changing $W^Q$ changes nothing. Each layer makes it worse. A residual connection
# keeps every position's own vector, and the gradient at the queries has the same order of magnitude
# in all six layers.

# %%
class Stack(nn.Module):
    """`depth` self-attention layers, each in a residual connection unless `order` is "bare"."""

    def __init__(self, order, depth=6, d_model=32):
        super().__init__()
        self.bare, pre = order == "bare", order == "pre-norm"
        self.layers, self.around = nn.ModuleList(), nn.ModuleList()
        for _ in range(depth):
            self.layers.append(MultiHeadAttention(d_model, 4, dropout=0.0))
            self.around.append(ResidualConnection(d_model, 0.0, norm_first=pre))

    def forward(self, x):
        for layer, around in zip(self.layers, self.around, strict=True):
            y = x if self.bare else around.enter(x)
            y = layer(y, y, y)[0]
            x = y if self.bare else around.leave(x, y)
        return x


# %%
with needs("2.3", "2.6", "2.8"):
    figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for index, order in enumerate(("bare", "post-norm", "pre-norm")):
        torch.manual_seed(6)
        stack, x = Stack(order), torch.randn(2, 10, 32)
        norms = gradient_norms(stack, x)
        at_queries = [norms[f"layers.{i}.w_q.weight"] for i in range(6)]
        places = np.arange(1, 7) + 0.27 * (index - 1)
        ax.bar(places, at_queries, 0.25, label=order, color=plt.get_cmap("viridis")(0.4 * index))
        spread = stack(x).std(dim=1).mean().item()
        print(f"{order:9} spread between positions at the top {spread:.1e}; norms",
              *(f"{norm:.0e}" for norm in at_queries))
    ax.set_yscale("log")
    ax.set(title="Gradient at w_q, by layer", xlabel="layer, 1 at the bottom", ylabel="norm",
           ylim=(1e-10, 1e4))
    ax.legend(ncols=3, loc="upper center")
    describe(ax, "Three bars per layer, one for each stack; the norms are printed above.")

# %% [markdown] exercise="2.9"
# $$\mathrm{JSD}(p, q) = H\!\left(\frac{p + q}{2}\right) - \frac{H(p) + H(q)}{2}, \qquad
# H(p) = -\sum_j p_j \log_2 p_j$$
#
# Figure 5 of the paper shows two heads that "clearly learned to perform different tasks". How can
# that be measured? The Jensen-Shannon divergence of two rows of weights is 0 bits when they are
# equal and 1 bit when they share no key.
#
# - `head_diversity(weights, mask=None)`: the mean over all pairs of *different* heads and all query
#   rows, as a float. `weights` is `(..., n_heads, n_q, n_k)`.
# - A row counts if `mask` (which broadcasts to `weights`, True = may attend) allows it at least one
#   key in both heads. To exclude the rows of padding tokens, set them to False throughout.
# - $0 \cdot \log 0$ counts as 0. Fewer than two heads, or no row that counts: `ValueError`.
# - `plot_heads(weights, tokens)`: one heat map per head, titled with its number from 0; the same
#   color scale, 0 to 1, in all of them; the tokens and a name (key, query) on both axes. Return a
#   list of exactly `n_heads` Axes. `weights` is an array `(n_heads, n, n)`; if it does not fit the
#   tokens: `ValueError`.
#
# **The trap.** Rows of padding have zero weights in every head. Are those heads "equal" there?

# %% component="course_lib.analysis.heads:head_diversity"

# %% component="course_lib.analysis.heat_maps:plot_heads"

# %% check="2.9"

# %% [markdown] prediction="2.9"
# **Prediction: before training.** Eight heads with random weights read "the cat ate the mouse".
# Their projections are independent of each other. Is their diversity near 0 bits, near 1, or in
# between?
#
# <!-- answer -->
# Near 0. The heads are independent, but their outputs are nearly the same: the scores of a fresh
# module are small, so most weights of every head are near 1/5. Different parameters do not yet mean
# different behavior.

# %%
with needs("2.3", "2.9"):
    torch.manual_seed(9)
    words = "the cat ate the mouse".split()
    vectors = {word: torch.randn(64) for word in sorted(set(words))}
    sentence = torch.stack([vectors[word] for word in words])[None]
    fresh_heads = MultiHeadAttention(64, 8).eval()
    _, weights = fresh_heads(sentence, sentence, sentence, need_weights=True)
    axes = plot_heads(weights[0].detach().numpy(), words)
    axes[0].figure.suptitle("Eight heads before training")
    print(f"diversity {head_diversity(weights.detach()):.3f} bits")
    describe(axes[0], "Eight heat maps, one per head: weights between the five words.")

# %% [markdown]
# Now go through your heads word by word: choose a head, then a word, with the mouse or with Tab and
# the arrow keys.

# %%
with needs("2.3", "2.9"):
    from course_lib.explorer.show import show_attention

    show_attention(weights[0], words, name="self-attention")

# %% [markdown]
# A number for all heads together, such as the diversity above, says that they are alike; only the
# single rows say in what they still differ.

# %% [markdown] exercise="2.10"
# "While single-head attention is 0.9 BLEU worse than the best setting, quality also drops off with
# too many heads" (§6.2, on Table 3, row (A)). A translation model takes days to train, but the
# claim that "with a single attention head, averaging inhibits this" can be tested in half a minute.
#
# **The task.** A memory holds eight symbols. A query names two positions and asks for both symbols,
# in order. The model, `PointerReader`, has embeddings, one cross-attention, and one linear layer
# that gives both answers. A query counts as correct if both symbols are right. Model, data and
# training loop are given (imported above from `course_lib.analysis.pointer_reader`):
#
# ```python
# examples = draw_examples(count, generator)       # random memories, queries, answers
# reader = PointerReader(attention, d_model)       # `attention`: your MultiHeadAttention
# train(reader, examples, steps, generator)        # Adam, random batches of `examples`
# accuracy(reader, examples)                       # share of queries with both answers right
# ```
#
# **Yours is the comparison.** For every number of heads and every seed, train a reader on `n_train`
# examples and measure it on `n_validation` *fresh* ones. Return a list with one dict per run:
# `{"n_heads", "seed", "parameters", "validation_accuracy"}`.
#
# - Fair: all runs have the same `d_model`, the same number of parameters (count the whole reader)
#   and the same number of steps, and runs with the same seed have the same data. `dropout=0.0`.
# - Honest: report every seed, never only the best.
# - Reproducible: the same call returns the same rows, and a row does not depend on what ran before
#   it. Parameters are drawn from torch's *global* generator, examples and batches from the one you
#   pass: the run's seed determines both.
# - No side effects: leave the global generator as you found it.

# %% component="course_lib.analysis.one_head_or_many:compare_heads"

# %% check="2.10"

# %% [markdown] prediction="2.10"
# **Prediction: one head or eight?** Chance is 1/64. A single head returns one weighted average,
# $p\,v_a + (1-p)\,v_b$, and a linear layer reads both answers from it. What accuracy do you expect
# from 1, 2, 8 and 32 heads (`d_model` is 32), over five seeds? Could one head use $p$ = 0.7 to mark
# which symbol comes first? Is one head merely slower, so that three times the steps would help?
#
# <!-- answer -->
# One head: about 0.3. It can find both symbols but cannot return them in order. The value with the
# larger share wins in the linear layer's scores for both answers: the second answer needs $p < ½$,
# the first $p > ½$. Two heads are enough, one for each pointer, and eight do as well. With 32 heads
# each has one feature ($d_k = 1$), too few to point sharply at one of eight positions, and accuracy
# falls again: the paper's "too many heads". More steps do not help the single head: 23 % of the
# queries ask for the same symbol twice, and it guesses a few more.
#
# *Why a linear layer cannot read a fixed mixture.* Let $m(s, j)$ be what symbol $s$ adds to the
# score of symbol $j$ as the second answer, and let a query ask for positions $a$ and $b$. If the
# memory holds $x$ at $a$ and $y$ at $b$, $y$ has to win; if it holds $y$ and $x$, $x$ has to.
# Adding the two conditions gives $(1 - 2p)\,[m(x,x) + m(y,y) - m(x,y) - m(y,x)] > 0$. The bracket
# is positive, since two equal symbols have to give that symbol. So $p < ½$; by the same argument,
# the first answer needs $p > ½$. The argument leaves out a $p$ that depends on the symbols, and a
# non-linear layer after the attention could do better: it is a limit of this reader, not of every
# model with one head.

# %%
with needs("2.3", "2.10"):
    heads_tried, seeds = [1, 2, 4, 8, 16, 32], [0, 1, 2, 3, 4]
    rows = compare_heads(heads_tried, seeds)
    print("parameters:", sorted({row["parameters"] for row in rows}))
    table = np.array([[row["validation_accuracy"] for row in rows if row["n_heads"] == n]
                      for n in heads_tried])
    mean, deviation = table.mean(axis=1), table.std(axis=1, ddof=1)
    half = 2.776 * deviation / np.sqrt(len(seeds))  # Student's t: 95 %, four degrees of freedom
    for n, scores, center, width in zip(heads_tried, table, mean, half, strict=True):
        print(f"{n:2} heads {np.round(scores, 3)} mean {center:.3f} ± {width:.3f}")

    figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
    ax.errorbar(heads_tried, mean, half, marker="o", capsize=4, label="mean and 95 % interval")
    for column in table.T:
        ax.plot(heads_tried, column, ".", color="grey", alpha=0.6)
    ax.axhline(1 / 64, linestyle=":", color="black", label="chance")
    ax.set_xscale("log", base=2)
    ax.set_xticks(heads_tried, labels=heads_tried)
    ax.set(title="Two pointers, equal parameters, five seeds", xlabel="number of heads",
           ylabel="both answers right, fresh data", ylim=(0, 1.05))
    ax.legend(loc="center")
    longer = compare_heads([1], seeds[:3], steps=300)
    print("one head, 300 steps:", [round(row["validation_accuracy"], 3) for row in longer])
    describe(ax, "Accuracy by number of heads, with intervals; the means are printed above.")

# %% [markdown] prediction="2.10"
# **Prediction: what did the heads learn?** Train one reader with two heads, and compare the weights
# of each head with the two pointers. What share of its weight does head 0 put on the first
# position, what share on the second? How diverse are the two heads before training, and after?
#
# <!-- answer -->
# Each head follows one pointer: nearly all of its weight is on one of the two positions. Which head
# takes which depends only on the random initialization; nothing in the model distinguishes them.
# (The averages do not reach 1 and 0 because both pointers name the same position in one query out
# of eight.) The diversity rises from near 0 to about ⅞ bit: the two heads share a key only in that
# eighth.

# %%
with needs("2.3", "2.9"):
    torch.manual_seed(10)
    generator = torch.Generator().manual_seed(10)
    reader = PointerReader(MultiHeadAttention(32, 2, dropout=0.0), 32)
    training, unseen = draw_examples(1024, generator), draw_examples(256, generator)

    def look(examples):
        """Weights of the reader's heads: (batch, heads, queries, positions)."""
        queries, memory = reader.embed(examples)
        return reader.attention(queries, memory, memory, need_weights=True)[1].detach()

    before = head_diversity(look(unseen))
    train(reader, training, 100, generator)
    found = look(unseen)
    print(f"diversity {before:.3f} bits before, {head_diversity(found):.3f} after training")
    print(f"both answers right: {accuracy(reader, unseen):.3f}")
    for head in range(2):
        shares = [float(found[:, head].gather(-1, unseen.pointers[..., i : i + 1]).mean())
                  for i in range(2)]
        print(f"head {head}: {shares[0]:.2f} on the first position, {shares[1]:.2f} on the second")

# %%
# Eight queries of one memory against its eight positions. Crosses mark the two positions asked for.
with needs("2.3", "2.9"):
    axes = plot_heads(found[0].numpy(), [str(i) for i in range(8)])
    for head, ax in enumerate(axes):
        for which, sign in ((0, "x"), (1, "+")):
            ax.plot(unseen.pointers[0, :, which], range(8), sign, color="tab:orange", markersize=9)
        named = [f"{int(a)}, {int(b)}" for a, b in unseen.pointers[0]]
        ax.set_yticks(range(8), labels=named)
        ax.set(title=f"head {head}", ylabel="query: first, second", xlabel="position in memory")
    axes[0].figure.suptitle("Two heads after training (x first, + second pointer)")
    describe(axes[0], "Two heat maps, one per head: eight queries against eight positions.")

# %% [markdown]
# Go back to your predictions. The five seeds vary the initialization and the data; they do not vary
# the width, the number of steps or the size of the training set, so the figure says nothing about
# these. Choose one of them to vary: state what you expect, run the comparison, and report every
# run.

# %% student="2.10"
# One comparison of your own: state what you expect in a comment, then print the rows of every run.
# answer
# Expected: at width 8 two heads have four features each to tell eight positions apart, and eight
# heads have one each: two heads should clearly beat eight, and one. Found: they beat eight heads in
# every run, and one head clearly in two runs of three. At this width a run can fail, and three
# seeds are too few to say how often.
with needs("2.3", "2.10"):
    for row in compare_heads([1, 2, 8], seeds=[0, 1, 2], d_model=8):
        print(row)

# %% [markdown] exercise="2.11"
# Two short answers. Use what you counted and measured: numbers say more than adjectives.

# %% [markdown] written="2.11.a"
# A classmate writes: "Eight heads are an ensemble of eight attention models, so they cost eight
# times as much as one." Correct both halves. Say what stays the same and what grows with the number
# of heads.
#
# <!-- answer -->
# With $d_k = d_{model}/h$ the heads split one width among them. At $d_{model} = 512$ the module has
# 1,048,576 weights with 1 head and with 8. The scores cost $h \cdot n^2 \cdot d_k = n^2 d_{model}$
# multiplications either way. What grows is the number of maps: $h\,n^2$ weights to store and to
# pass through a softmax. Heads are not an ensemble: an ensemble's members are complete models,
# trained separately, whose predictions are averaged. Heads are narrow parts of one layer, trained
# together through one loss, and $W^O$ mixes their concatenated features; one head alone predicts
# nothing.

# %% [markdown] rubric="2.11.a"
# | point | given for |
# |---|---|
# | 1 | parameters do not depend on $h$, *because* $h \cdot d_k = d_{model}$ |
# | 1 | the arithmetic of scores and averages does not depend on $h$ either, with a reason |
# | 1 | names something that grows: $h\,n^2$ weights, softmaxes, memory for the maps |
# | 1 | not an ensemble, with one reason: trained jointly, mixed by $W^O$, or not full models |
#
# - **Full (4).** The exemplar above.
# - **Partial (2).** "Every head has only 64 of the 512 features, so the eight together have as many
#   parameters as one big head. Ensembles average the results of different models, but heads are
#   concatenated." (Parameters and ensemble; nothing about arithmetic or what grows.)
# - **Wrong (0).** "The heads run in parallel on the GPU, so eight cost as much as one. It is an
#   ensemble because every head votes on which token matters." (Parallel is not cheap: the question
#   is about work, not time. Heads do not vote.)

# %% [markdown] written="2.11.b"
# Someone shows you the heat map of one sentence in which head 5 of a trained model links "its" to
# "Law", and concludes: "head 5 resolves pronouns." Which two further measurements would you ask
# for, what would each have to show, and what would you still not know?
#
# <!-- answer -->
# First, many sentences: annotate pronouns and what they refer to in a few hundred sentences, none
# of them picked for the figure, and report how often head 5's largest weight is on the right word.
# Compare it with a baseline such as "the nearest noun", and with the other heads; with many heads,
# some head fits any one sentence by chance. Second, an intervention: switch head 5 off and see
# whether predictions that depend on the pronoun get worse, and others do not. Even then weights are
# not contributions: what flows is weight times value, $W^O$ and the residual connection mix it with
# everything else, and another head may do the same work.

# %% [markdown] rubric="2.11.b"
# | point | given for |
# |---|---|
# | 1 | a rate over many sentences, not picked for the result |
# | 1 | a comparison for that rate: a baseline (nearest noun, fixed distance) or other heads |
# | 1 | an intervention: remove or change the head and measure what the model does |
# | 1 | a limit of weights: value and $W^O$ determine what flows, or other paths carry it too |
#
# - **Full (4).** The exemplar above.
# - **Partial (2).** "One sentence proves nothing. I would look at 500 sentences and count how often
#   it is right. And I would compare with head 4, to see if it is special." (Rate and comparison,
#   but no intervention and no limit.)
# - **Wrong (0).** "I would enlarge the map and look at the maps of the other layers, to see if
#   'its' is bright there too." (More maps of the same sentence are the same evidence.)
