# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown] title="a1"
# Attention is one line of the paper, and this assignment takes that line apart:
#
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V
# \qquad\text{(§3.2.1, Eq. 1)}$$
#
# You write each factor as a function, put the factors together, and then ask: Why the square root?
# Does word order matter? What does it cost? And what does a map of its weights prove?
#
# <details><summary><b>Names, shapes, conventions</b>: look here when a shape is unclear</summary>
#
# | name | shape | one row is |
# |---|---|---|
# | `x` | `(n, d_model)` | a token |
# | `query` | `(n_q, d_k)` | what a token looks for |
# | `key` | `(n_k, d_k)` | what a token is matched on |
# | `value` | `(n_k, d_v)` | what a token passes on when it is matched |
# | `weights` | `(n_q, n_k)` | how one query divides its attention among the keys |
# | `output` | `(n_q, d_v)` | the values, mixed by one row of weights |
#
# Three conventions hold throughout the course:
#
# - Any number of axes may precede these two: `(batch, n, d_model)`. Count axes from the end (`-1`,
#   `-2`) and the same code handles all of them.
# - A mask is boolean, and **True means "may attend"**. It broadcasts to the shape of the weights.
# - Randomness comes from a `numpy.random.Generator` that is passed in; leave the global generator
#   alone.
#
# Each experiment starts with a prediction. It gives no points, so a wrong one costs nothing: write
# yours before you run the cell, and come back to it afterwards.
#
# </details>

# %% [markdown] drawing="scaled_dot_product"
# *The left half of the paper's Figure 2, as matrices. One row is filled in: the query "the" of the
# worked example below.*

# %% setup="a1"

# %% [markdown] exercise="1.1"
# $$\mathrm{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# A softmax turns scores into positive weights that sum to one. Write it for an array with any
# number of axes; the weights sum to one along `axis`. The result has the shape of `x`. The input
# may be integers.
#
# **The trap.** $e^{1000}$ overflows, but the softmax of `[1000, 1001, 1002]` is well defined. What
# can you subtract from all $x_i$ without changing the quotient? And if one row of a matrix is near
# 0 and another near 1000, can you subtract the same number from both?

# %% component="course_lib.numpy_forms.attention:softmax"

# %% check="1.1"

# %% [markdown] exercise="1.2"
# $$Q = XW^Q \qquad K = XW^K \qquad V = XW^V$$
#
# Self-attention takes one array `x` and projects it in three ways. The paper has one such triple of
# projections for each head: "linearly project the queries, keys and values $h$ times with
# different, learned linear projections to $d_k$, $d_k$ and $d_v$ dimensions, respectively". Here $h
# = 1$.
#
# Return query, key and value, in this order. `w_q` and `w_k` are `(d_model, d_k)`; `w_v` is
# `(d_model, d_v)`, and $d_v$ need not be $d_k$. `x` may have a leading batch axis, which the
# results keep.

# %% component="course_lib.numpy_forms.attention:project_qkv"

# %% check="1.2"

# %% [markdown] exercise="1.3"
# $$S = \frac{QK^\top}{\sqrt{d_k}}, \qquad S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}}$$
#
# The score $S_{ij}$ says how well key $j$ matches query $i$. There may be more keys than queries,
# or fewer, and there may be further axes before the last two.
#
# **The trap.** `d_k` is not an argument. Which axis of which array has that length? And what does
# `key.T` do to an array with three axes?

# %% component="course_lib.numpy_forms.attention:scaled_scores"

# %% check="1.3"

# %% [markdown]
# ## A worked example: five tokens of width three
#
# The three features are made up so that you can read them: *article*, *animal*, *action*. "the" and
# "a" have the same vector. Here $d_k = 3$ and $d_v = 2$.
#
# $$X = \begin{pmatrix}1&0&0\\0&2&1\\0&0&2\\1&0&0\\0&2&0\end{pmatrix}
# \begin{matrix}\text{the}\\\text{cat}\\\text{ate}\\\text{a}\\\text{mouse}\end{matrix}
# \quad
# W^Q = \begin{pmatrix}0&1&0\\1&0&0\\0&1&0\end{pmatrix}
# W^K = \begin{pmatrix}0&0&1\\0&1&0\\1&0&0\end{pmatrix}
# W^V = \begin{pmatrix}1&0\\0&1\\1&1\end{pmatrix}$$
#
# **Step 1, projections.** Each row of $X$ times each weight. The row of "cat", $(0, 2, 1)$, gives
# $q = (2, 1, 0)$, $k = (1, 2, 0)$ and $v = (0\cdot1+2\cdot0+1\cdot1,\; 2\cdot1+1\cdot1) = (1, 3)$.
#
# $$Q = \begin{pmatrix}0&1&0\\2&1&0\\0&2&0\\0&1&0\\2&0&0\end{pmatrix}\quad
# K = \begin{pmatrix}0&0&1\\1&2&0\\2&0&0\\0&0&1\\0&2&0\end{pmatrix}\quad
# V = \begin{pmatrix}1&0\\1&3\\2&2\\1&0\\0&2\end{pmatrix}$$
#
# **Step 2, dot products.** "cat" against itself: $2\cdot1 + 1\cdot2 + 0\cdot0 = 4$. All the
# products are 0, 2 or 4, which keeps the rest short.
#
# **Step 3, scale and exponentiate.** Divide by $\sqrt3 = 1.732$, then $e^{0} = 1$,
# $a = e^{2/\sqrt3} = 3.173$ and $a^2 = e^{4/\sqrt3} = 10.068$.
#
# **Step 4, divide every row by its sum.**
#
# | query | $QK^\top$ | exponentials | sum | weights: the, cat, ate, a, mouse |
# |---|---|---|---|---|
# | the | 0 2 0 0 2 | 1, a, 1, 1, a | 9.346 | .107 .340 .107 .107 .340 |
# | cat | 0 4 4 0 2 | 1, a², a², 1, a | 25.310 | .040 .398 .398 .040 .125 |
# | ate | 0 4 0 0 4 | 1, a², 1, 1, a² | 23.137 | .043 .435 .043 .043 .435 |
# | a | 0 2 0 0 2 | 1, a, 1, 1, a | 9.346 | .107 .340 .107 .107 .340 |
# | mouse | 0 2 4 0 0 | 1, a, a², 1, 1 | 16.241 | .062 .195 .620 .062 .062 |
#
# **Step 5, mix the values.** For "the":
#
# $$.107\,(1,0) + .340\,(1,3) + .107\,(2,2) + .107\,(1,0) + .340\,(0,2) = (0.77, 1.91)$$
#
# After the next exercise, your function does the same for all five rows.

# %% [markdown] exercise="1.4"
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$
#
# "The output is computed as a weighted sum of the values, where the weight assigned to each value
# is computed by a compatibility function of the query with the corresponding key" (§3.2).
#
# A mask excludes some pairs of query and key. The paper does this "by masking out (setting to
# $-\infty$) all values in the input of the softmax which correspond to illegal connections"
# (§3.2.3).
#
# Requirements, all tested:
#
# - Return `(output, weights)`.
# - `mask` is boolean, True = may attend, and broadcasts to `(*batch, n_q, n_k)`; `None` masks
#   nothing.
# - A query whose keys are all masked gets weights of zero and an output of zero.
# - If `query` and `key` have different widths, or `key` and `value` different numbers of tokens, it
#   raises `ValueError`, with both shapes in the message: call the given `_check_shapes` first.
# - No Python loop over tokens: the number of Python-level steps must not grow with $n$.
#
# **The traps.** Along which axis do the weights sum to one? What does a row sum to if you mask
# after the softmax? What is $-\infty - (-\infty)$, and which row of a mask leads to it?

# %% component="course_lib.numpy_forms.attention:attention"

# %% check="1.4"

# %%
# The worked example in code: the numbers must match the table above.
tokens = ["the", "cat", "ate", "a", "mouse"]
x = np.array([[1, 0, 0], [0, 2, 1], [0, 0, 2], [1, 0, 0], [0, 2, 0]], dtype=float)
w_q = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 0]], dtype=float)
w_k = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]], dtype=float)
w_v = np.array([[1, 0], [0, 1], [1, 1]], dtype=float)
by_hand = """.107 .340 .107 .107 .340
             .040 .398 .398 .040 .125
             .043 .435 .043 .043 .435
             .107 .340 .107 .107 .340
             .062 .195 .620 .062 .062"""

with needs("1.2", "1.4"):
    worked_output, worked_weights = attention(*project_qkv(x, w_q, w_k, w_v))
    for token, row, mixed in zip(tokens, worked_weights, worked_output, strict=True):
        print(f"{token:6} weights {np.round(row, 3)}  output {np.round(mixed, 3)}")
    table = np.array(by_hand.split(), dtype=float).reshape(5, 5)
    print("equal to the table:", np.allclose(worked_weights, table, atol=5e-4))

# %% [markdown]
# Now a realistic size: 5 tokens of the paper's width, 512, projected to the width of one of its
# heads, 64. Follow the shapes: which intermediate results have no axis of length 64 or 512, and how
# do they grow with the number of tokens?

# %%
with needs("1.2", "1.3", "1.4"):
    rng = np.random.default_rng(0)
    sample = rng.standard_normal((5, 512))
    sample_w_q, sample_w_k, sample_w_v = rng.standard_normal((3, 512, 64)) / 512**0.5
    query, key, value = project_qkv(sample, sample_w_q, sample_w_k, sample_w_v)
    scores = scaled_scores(query, key)
    output, weights = attention(query, key, value)
    print("x                     ", sample.shape)
    print("w_q, w_k, w_v         ", sample_w_q.shape, sample_w_k.shape, sample_w_v.shape)
    print("query, key, value     ", query.shape, key.shape, value.shape)
    print("scores = query keyᵀ/8 ", scores.shape)
    print("weights               ", weights.shape, "row sums", weights.sum(axis=-1).round(12))
    print("output = weights value", output.shape)

# %% [markdown] exercise="1.5"
# $$\mathrm{head}(X) = \mathrm{Attention}(XW^Q,\; XW^K,\; XW^V)$$
#
# "In a self-attention layer all of the keys, values and queries come from the same place"
# (§3.2.3). The layer owns the three weights and applies them to whatever it is called with.
#
# - The attributes are named `w_q`, `w_k`, `w_v` and have the shapes from 1.2; a test overwrites
#   them with its own numbers.
# - `d_k` and `d_v` default to `d_model`.
# - All weights are drawn from `rng`, or from a fresh generator if none is given. Independent
#   entries with mean 0 and variance $1/d_{model}$ work well: they project components of variance 1
#   to components of variance about 1. No test checks this variance.
# - Calling the layer passes the mask on and returns `(output, weights)`.
#
# **The trap.** Two layers created one after the other must not have the same weights. Where must
# there be no fixed seed?

# %% component="course_lib.numpy_forms.attention:SelfAttention"

# %% check="1.5"

# %% [markdown] exercise="1.6"
# The paper shows weights as lines between words (Appendix, Figures 3-5). A heat map shows the same
# numbers as colors: row $i$ is query $i$, column $j$ is key $j$.
#
# - Draw one image into `ax`, or into a new figure when `ax` is `None`, and return the Axes.
# - Label every row and every column with its token; give the plot a title and label both axes.
# - The color scale runs from 0 to 1 in every map (`vmin=0, vmax=1`), so that two maps can be
#   compared.
# - A cell where `mask` is False is *masked in the image* (`np.ma.masked_array`), not drawn as zero:
#   "not allowed to attend" and "chose not to" are different statements. The mask may need
#   broadcasting to the shape of the weights, which stay as they are.
# - Use a colormap that color-blind readers can read: viridis or cividis.
#
# **The trap.** Tick labels set without tick positions end up on whatever ticks matplotlib chose.

# %% component="course_lib.analysis.heat_maps:plot_attention"

# %% check="1.6"

# %% [markdown] prediction="1.6"
# **Prediction: two inputs, one layer.** In the cell below every word is a random vector of width
# 32, and the layer's key weight is set equal to its query weight, so a token scores highest against
# tokens like itself. The inputs are "the cat ate the mouse" and "a cat ate my cheese". Describe
# both heat maps: where are the bright cells, roughly how bright are they, and how do the two rows
# for "the" compare?
#
# <!-- answer -->
# In "a cat ate my cheese" all words differ, so I expect a bright diagonal near 1. With equal
# weights a token's score with itself is $|q|^2/\sqrt{32} \approx \sqrt{32} \approx 5.7$, and other
# scores are near 0, so its weight is about $e^{5.7}/(e^{5.7}+4) \approx 0.99$, less where another
# token happens to score well. In "the cat ate the mouse" each "the" finds two equal keys and gives
# both the same weight, about one half. The two rows are identical: the queries are equal, the keys
# are the same, and nothing in the layer knows which "the" came first.

# %%
with needs("1.5", "1.6"):
    rng = np.random.default_rng(6)
    vocabulary = {word: rng.standard_normal(32) for word in "the a my cat ate mouse cheese".split()}
    alike = SelfAttention(32, rng=rng)
    alike.w_k = alike.w_q.copy()
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    for ax, sentence in zip(axes, ("the cat ate the mouse", "a cat ate my cheese"), strict=True):
        words = sentence.split()
        _, weights = alike(np.stack([vocabulary[word] for word in words]))
        plot_attention(weights, words, ax=ax)
        ax.set_title(f'"{sentence}"')
        print(sentence, "| largest weight of each row:", np.round(weights.max(axis=1), 2))
    describe(figure, "Heat maps of two sentences; the largest weight of each row is printed above.")

# %% [markdown]
# Go back to your prediction. Then choose two inputs of your own that should give clearly different
# maps with the same layer. Before you draw them, say in a comment how you expect them to differ.

# %% student="1.6"
# Compare two inputs of your own: state the expected difference in a comment, then draw both maps.
# answer
# Expected: three "cat" in a row get a third of the weight each; scaled by 0.1, the same vectors
# give scores a hundred times smaller, and an almost uniform map.
with needs("1.5", "1.6"):
    cats = ["cat", "cat", "cat", "ate", "mouse"]
    x_cats = np.stack([vocabulary[word] for word in cats])
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    for ax, scale in zip(axes, (1.0, 0.1), strict=True):
        plot_attention(alike(scale * x_cats)[1], cats, ax=ax)
        ax.set_title(f"input times {scale}")
    describe(figure, "Left: a block of thirds and a bright diagonal. Right: all cells near 0.2.")

# %% [markdown]
# **The same weights, word by word.** A heat map shows everything at once. In the explorer you
# choose one word: hover over it, or go there with Tab and the arrow keys. On the left it *attends*,
# and the numbers are a row of your weights; on the right it is *attended to*, and they are a
# column.

# %%
with needs("1.5"):
    from course_lib.explorer.show import show_attention

    words = "the cat ate the mouse".split()
    _, weights = alike(np.stack([vocabulary[word] for word in words]))
    show_attention(weights, words)

# %% [markdown]
# The numbers of a word on the left sum to one. Those of a word on the right need not: nothing stops
# all words from attending to the same one.

# %% [markdown]
# **Quiz.** A lecture says: *"Combined masks: element-wise OR."* You have a causal mask and a
# padding mask in the convention of this course. Do you combine them with `|` or with `&`?
#
# <details><summary>Answer</summary>
#
# With `&`. A pair may attend only if *both* masks allow it. OR is right in the opposite convention,
# True = blocked, where a pair is blocked if *either* mask blocks it; torch's own modules use that
# one. Neither rule is wrong, but each belongs to one convention, and mixing them raises no error.
# </details>
#
# Here is what masks look like. The sentence ends with two padding tokens. The causal mask blocks
# keys to the right of the query; the padding mask blocks the same keys for every query; the third
# map allows what both allow.

# %%
with needs("1.5", "1.6"):
    padded = ["the", "cat", "ate", "<pad>", "<pad>"]
    x_padded = np.random.default_rng(4).standard_normal((5, 32))
    layer = SelfAttention(32, rng=np.random.default_rng(5))
    causal = np.tril(np.ones((5, 5), dtype=bool))
    padding = np.array([True, True, True, False, False])
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    masks = {"causal": causal, "padding": padding, "causal & padding": causal & padding}
    for ax, (name, mask) in zip(axes, masks.items(), strict=True):
        plot_attention(layer(x_padded, mask)[1], padded, mask, ax=ax)
        ax.set_title(name)
    describe(figure, "Forbidden cells in grey: a triangle, two columns, and both together.")

# %% [markdown] exercise="1.7"
# The paper divides by $\sqrt{d_k}$ and offers its reason as a suspicion (§3.2.1):
#
# > We suspect that for large values of $d_k$, the dot products grow large in magnitude, pushing
# > the softmax function into regions where it has extremely small gradients.
#
# Footnote 4 supports the first half: for independent components with mean 0 and variance 1, the dot
# product $q \cdot k = \sum_{i=1}^{d_k} q_i k_i$ "has mean 0 and variance $d_k$". You will measure
# both halves.
#
# For each $d_k$ draw `n_samples` queries, and for each query 32 keys of its own (`N_KEYS`), all
# components standard normal, from `rng`. Return three arrays, one row for each $d_k$:
#
# - `raw_variance`, shape `(D,)`: the variance of all `n_samples × 32` dot products;
# - `scaled_variance`, shape `(D,)`: the same after dividing by $\sqrt{d_k}$;
# - `max_weight`, shape `(D, 2)`: apply softmax over the 32 keys of each query, take the largest
#   weight, and average it over the queries; column 0 is for the raw products, column 1 for the
#   scaled ones.
#
# Make the prediction below before you write or check any code.

# %% [markdown] prediction="1.7"
# **Prediction.** $d_k = 512$ and 32 keys. What is the standard deviation of the raw dot products?
# How large, on average, is the largest of the 32 weights without the division, and with it? (If
# attention ignored the scores, it would be $1/32 = 0.03$.) How do these three numbers change from
# $d_k = 1$ to $d_k = 512$?
#
# <!-- answer -->
# The standard deviation is $\sqrt{512} \approx 22.6$. The best of 32 such scores usually leads the
# second by several units, and $e^{-5} < 0.01$: without the division nearly all the weight is on one
# key, so I expect a largest weight above 0.9. With it the scores have standard deviation 1 whatever
# $d_k$ is. The largest of 32 is about 2 above the mean and the exponentials sum to about
# $32\,e^{1/2} = 53$, so the largest weight is about $e^{2}/53 = 0.14$, a little more on average.
# From $d_k = 1$ to 512 the raw variance grows in proportion to $d_k$ and the largest raw weight
# approaches 1; the scaled variance stays at 1, and the largest scaled weight changes little.
#
# Measured: 0.94 and 0.16. At $d_k = 1$ the divisor is 1, so both columns are the same, and a little
# smaller (0.13): a query that is a single number is often near 0, and then it scores all keys
# alike.

# %% component="course_lib.analysis.attention_properties:score_statistics"

# %% check="1.7"

# %%
with needs("1.1", "1.7"):
    widths = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    raw, scaled, largest = score_statistics(widths, 300, np.random.default_rng(7))
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    left.loglog(widths, raw, "o-", label="raw")
    left.loglog(widths, scaled, "s-", label="divided by √d_k")
    left.loglog(widths, widths, ":", color="grey", label="d_k (footnote 4)")
    left.set(title="Variance of the scores", xlabel="d_k", ylabel="variance")
    right.semilogx(widths, largest[:, 0], "o-", label="raw")
    right.semilogx(widths, largest[:, 1], "s-", label="divided by √d_k")
    right.axhline(1 / 32, color="grey", ls=":", label="1/32: uniform")
    right.set(title="Largest of 32 weights, mean", xlabel="d_k", ylabel="weight", ylim=(0, 1))
    left.legend()
    right.legend()
    print(f"d_k = 512: largest weight {largest[-1, 0]:.2f} raw, {largest[-1, 1]:.2f} scaled")
    ends = [
        f"{name} {y[0]:.2f} to {y[-1]:.2f}"
        for name, y in (
            ("variance raw", raw),
            ("scaled", scaled),
            ("weight raw", largest[:, 0]),
            ("scaled", largest[:, 1]),
        )
    ]
    describe(figure, f"Lines against d_k from 1 to 512: {', '.join(ends)}.")

# %% [markdown]
# Now the second half of the sentence: small gradients. The derivative of the weights $w$ with
# respect to the scores is $J_{ij} = w_i(\delta_{ij} - w_j)$. Here is its norm over 500 queries at
# $d_k = 512$:

# %%
with needs("1.1"):
    rng = np.random.default_rng(70)
    dots = (rng.standard_normal((500, 1, 512)) * rng.standard_normal((500, 32, 512))).sum(-1)
    for name, scores in (("raw", dots), ("scaled", dots / 512**0.5)):
        w = softmax(scores)
        jacobian = w[:, :, None] * (np.eye(32) - w[:, None, :])
        low, middle, high = np.quantile(np.linalg.norm(jacobian, axis=(1, 2)), [0.1, 0.5, 0.9])
        print(f"{name:6} |J|: median {middle:.1e}, from {low:.1e} to {high:.1e} (10 % to 90 %)")

# %% [markdown]
# Return to your prediction: which number was furthest off, and what did you leave out? Note also
# what the experiment does not show. The components of trained queries and keys are neither
# independent nor of variance 1, so it explains the scale at the start of training, not at the end.

# %% [markdown] exercise="1.8"
# $$f(x_{\pi}) \overset{?}{=} f(x)_{\pi}$$
#
# Self-attention has "no recurrence and no convolution" (§3.5). Does it depend on the order of its
# tokens at all? Measure this for any function from `(n, d)` to `(n, d')`: apply it to the permuted
# tokens, permute its result for the original tokens, and return the largest absolute difference
# between the two, as a float.
#
# Token $i$ of the permuted input is `x[permutation[i]]`. A gap of zero for every permutation is
# what *permutation equivariant* means.
#
# **The trap.** A swap of two tokens is its own inverse. A cycle of three tokens is not.

# %% [markdown] prediction="1.8"
# **Prediction.** One layer reads "cat ate mouse" and "mouse ate cat". For each of the four
# functions below say whether the *equivariance gap* (permute, then apply, against apply, then
# permute) is zero, and whether the *invariance gap* (is the result the same array, row by row?) is
# zero: self-attention alone; its output averaged over the tokens; self-attention with a causal
# mask; self-attention of tokens with a position vector added.
#
# <!-- answer -->
# | function | equivariance gap | invariance gap |
# |---|---|---|
# | self-attention | zero | not zero |
# | averaged over the tokens | zero | zero |
# | with a causal mask | not zero | not zero |
# | with positions added | not zero | not zero |
#
# Self-attention alone gives "cat" the same vector in both sentences, but row 0 is now another
# word's vector: equivariant, not invariant. The mean forgets which row was which. Mask and
# positions are tied to places, not words, so they do not move with the words.

# %% component="course_lib.analysis.attention_properties:equivariance_gap"

# %% check="1.8"

# %%
with needs("1.5", "1.8"):
    rng = np.random.default_rng(8)
    animals = rng.standard_normal((3, 16))  # cat, ate, mouse
    swap = np.array([2, 1, 0])
    reader = SelfAttention(16, rng=rng)
    triangle, places = np.tril(np.ones((3, 3), dtype=bool)), rng.standard_normal((3, 16))
    functions = {
        "self-attention": lambda x: reader(x)[0],
        "averaged over the tokens": lambda x: np.tile(reader(x)[0].mean(axis=0), (3, 1)),
        "with a causal mask": lambda x: reader(x, triangle)[0],
        "with positions added": lambda x: reader(x + places)[0],
    }
    print(f"{'':26} equivariance gap  invariance gap")
    for name, function in functions.items():
        invariance_gap = np.abs(function(animals[swap]) - function(animals)).max()
        gap = equivariance_gap(function, animals, swap)
        print(f"{name:26} {gap:16.1e} {invariance_gap:15.1e}")

# %%
with needs("1.5", "1.6"):
    names = np.array(["cat", "ate", "mouse"])
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for ax, order in zip(axes, (np.arange(3), swap), strict=True):
        plot_attention(reader(animals[order])[1], list(names[order]), ax=ax)
        ax.set_title('"' + " ".join(names[order]) + '"')
    describe(figure, "Two heat maps of three words, one for each order of the words.")

# %% [markdown]
# Return to your prediction, row by row. Numbers near $10^{-16}$ are rounding error: the sums were
# taken in a different order. Find the pair (cat, mouse) in both maps before you answer 1.11.

# %% [markdown] exercise="1.9"
# "A self-attention layer connects all positions with a constant number of sequentially executed
# operations, whereas a recurrent layer requires $O(n)$ sequential operations" (§4). Table 1 of the
# paper gives this and the complexity per layer for four types of layer. Read its rows
# "Self-Attention" and "Recurrent" and work out where every factor comes from: what is compared with
# what, and what does one comparison cost?
#
# Return the terms as integers for $n$ tokens of width $d$ = `d_model`, without constant factors or
# lower-order terms:
#
# ```python
# {"self-attention": {"operations": …, "sequential": …},
#  "recurrent":      {"operations": …, "sequential": …}}
# ```
#
# Like the table, leave out the projections of 1.2.

# %% [markdown] prediction="1.9"
# **Prediction.** The cells below time your attention and a plain RNN layer, both of width 64, on 25
# to 1600 tokens, and plot the times on log-log axes, where a power $n^p$ is a line of slope $p$.
# Which slopes do you expect for long sequences? At which length do the *operations* of Table 1
# cross? Will the *times* cross at the same length, earlier or later?
#
# <!-- answer -->
# Slopes: 2 for attention and 1 for the RNN. The operations cross at $n = d = 64$: "self-attention
# layers are faster than recurrent layers when the sequence length $n$ is smaller than the
# representation dimensionality $d$" (§4). The times should cross later. The RNN's $n$ steps must
# run one after another, each a Python call on a tiny matrix, while attention is a few large
# products; so each operation costs the RNN more. For short sequences attention's line will have a
# slope below 2, since the fixed cost of a call outweighs the work.
#
# The measurement depends on the machine: the table counts operations, while the clock also sees
# memory, caches and call overhead. On a GPU attention's flat part reaches much further.

# %% component="course_lib.analysis.attention_properties:operation_counts"

# %% check="1.9"

# %%
import time


def recurrent_layer(x, w, u):
    """A plain RNN: every state needs the one before it."""
    state, states = np.zeros(len(u)), []
    for token in x:
        state = np.tanh(token @ w + state @ u)
        states.append(state)
    return np.stack(states)


def seconds(function, repeats=5):
    """The shortest of several runs, since whatever disturbs a run makes it longer."""
    runs = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        runs.append(time.perf_counter() - start)
    return min(runs)


# %%
with needs("1.4"):
    lengths, d = [25, 50, 100, 200, 400, 800, 1600], 64
    rng = np.random.default_rng(9)
    w, u = rng.standard_normal((2, d, d)) / d**0.5
    inputs = [rng.standard_normal((n, d)) for n in lengths]
    times = {
        "self-attention": [seconds(lambda x=x: attention(x, x, x)) for x in inputs],
        "recurrent": [seconds(lambda x=x: recurrent_layer(x, w, u)) for x in inputs],
    }
    for name, measured in times.items():
        slope = np.polyfit(np.log(lengths[-4:]), np.log(measured[-4:]), 1)[0]
        print(f"{name:15} slope over the last four lengths: {slope:.2f}")
    print(f"attention at 100 tokens: {times['self-attention'][2]:.5f} s; more than 0.1 s is slow")

# %%
with needs("1.4", "1.9"):
    counts = {name: [operation_counts(n, d)[name]["operations"] for n in lengths] for name in times}
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    panels = (
        ("Operations, Table 1, d = 64", "operations", counts),
        ("Measured time, d = 64", "seconds", times),
    )
    for ax, (title, unit, curves) in zip(axes, panels, strict=True):
        for (name, curve), marker in zip(curves.items(), ("o-", "s--"), strict=True):
            ax.loglog(lengths, curve, marker, label=name)
        ax.set(title=title, xlabel="tokens n", ylabel=unit)
        ax.legend()
    describe(figure, "Operations and measured times against the number of tokens, log-log.")

# %% [markdown]
# Return to your prediction. Whatever you measured is accepted, even where it contradicts the table:
# say which part of the difference you can explain.

# %% [markdown] exercise="1.10"
# A test is only as good as its inputs. Here the roles are reversed: the table describes six wrong
# versions of attention, and you choose inputs that expose each of them. The first is solved for
# you; five are left.
#
# `separating_input(bug)` returns a dict with `query` `(n_q, d_k)`, `key` `(n_k, d_k)`, `value`
# `(n_k, d_v)` and `mask` (boolean `(n_q, n_k)`, or `None`). The grader runs correct attention and
# the wrong version on them. Both must run without an error, and their *outputs* must differ by more
# than $10^{-3}$ somewhere; a NaN in only one of the two also counts as a difference. At most 100
# tokens and features, and finite numbers between $-10^6$ and $10^6$. Any other name is a
# `ValueError`.
#
# | `bug` | what it does |
# |---|---|
# | `"not-scaled"` (solved below) | does not divide the scores by $\sqrt{d_k}$ |
# | `"keys-score-queries"` | computes $KQ^\top/\sqrt{d_k}$ instead of $QK^\top/\sqrt{d_k}$ |
# | `"softmax-over-queries"` | divides by the sum of each column, not of each row |
# | `"mask-after-softmax"` | sets masked weights to zero after the softmax, without renormalizing |
# | `"one-maximum"` | subtracts the largest score of the whole matrix, not of each row |
# | `"empty-row-mean"` | gives a query with no allowed key the mean of all values |
#
# **The solved one.** Scores of 2 and 0 with $d_k = 2$: the first weight is
# $e^2/(e^2 + 1) = 0.881$ without the division and $e^{1.414}/(e^{1.414} + 1) = 0.804$ with it. The
# values 1 and 0 carry that difference of 0.077 into the output.
#
# ```python
# if bug == "not-scaled":
#     return {"query": np.array([[2.0, 0.0]]), "key": np.array([[1.0, 0.0], [0.0, 0.0]]),
#             "value": np.array([[1.0], [0.0]]), "mask": None}
# ```
#
# **The traps.** Which of the six go unnoticed with a single token? With scores that are all zero?
# With `query` and `key` the same array? With values that are all equal?

# %% component="course_lib.analysis.separating_input:separating_input"

# %% check="1.10"

# %% [markdown] exercise="1.11"
# Three short answers, graded point by point: one point per sentence. Refer to your own measurements
# where you can.

# %% [markdown] written="1.11.a"
# A fellow student writes: *"Dividing by $\sqrt{d_k}$ normalizes the scores, so that the attention
# weights sum to one."* Correct this. What does the division change, under which assumption is
# $\sqrt{d_k}$ the right divisor, and what goes wrong in training without it?
#
# <!-- answer -->
# The weights sum to one because of the softmax, with or without the division. What the division
# changes is the spread of the scores. If the components of query and key are independent with mean
# 0 and variance 1, a dot product is a sum of $d_k$ terms of variance 1, so its variance is $d_k$
# and its standard deviation $\sqrt{d_k}$; dividing by that gives variance 1 at any width. Without
# it, scores at $d_k = 512$ spread over about ±23, and the softmax puts nearly all weight on one key
# (0.94 against 0.16 in my measurement). There its derivative $w_i(\delta_{ij} - w_j)$ is close to
# zero, so queries and keys get almost no gradient and hardly learn.

# %% [markdown] rubric="1.11.a"
# One point each, independent of one another:
#
# 1. The weights sum to one because of the softmax, not the division.
# 2. The division changes the spread: the variance of a score goes from $d_k$ to 1 (or its standard
#    deviation from $\sqrt{d_k}$ to 1).
# 3. The assumption: independent components with mean 0 and variance 1 (independence and unit
#    variance must both be mentioned).
# 4. The consequence: large scores saturate the softmax, and its gradient almost vanishes. "The
#    weights become one-hot" alone, with nothing about gradients or learning, does not earn the
#    point.
#
# **Full (4).** "The softmax makes the sum one anyway. Dividing keeps the variance of the scores
# at 1 instead of $d_k$, if components are independent with mean 0 and variance 1. Otherwise
# softmax is nearly one-hot for wide keys and passes almost no gradient back."
#
# **Partial (2).** "It is the softmax that sums to one. Without scaling the dot products get too
# large for wide keys, so the softmax saturates and gradients vanish." (Points 1 and 4; neither the
# variance nor the assumption is mentioned.)
#
# **Wrong (0).** "$\sqrt{d_k}$ is the length of the key vectors, so dividing makes the score a
# cosine between −1 and 1, which keeps the weights normalized."

# %% [markdown] written="1.11.b"
# A lecture states: *"Self-attention is permutation invariant: without positions, 'cat ate mouse' =
# 'mouse ate cat'."* Which word is wrong, and what should it be? What is still true about the
# example? What would you have to do to the output for the statement to hold as written? And what
# does a Transformer add so that order matters?
#
# <!-- answer -->
# "Invariant" should be "equivariant". Permuting the tokens permutes the rows of the output in the
# same way; the output array is not the same, as my invariance gap showed. It is still true that
# each word gets exactly the same vector in both sentences, because its query sees the same set of
# keys and values: the vector of "cat" cannot tell who ate whom. Averaging the output over the
# tokens would make the result invariant, since a mean does not depend on the order of its terms.
# The Transformer adds positional encodings to the embeddings, so that a word's vector depends on
# its position; then the gap is no longer zero. (A causal mask breaks the symmetry too.)

# %% [markdown] rubric="1.11.b"
# One point each, independent of one another:
#
# 1. "Equivariant" in place of "invariant", with its meaning: the rows of the output are permuted
#    like the input. The word without the meaning does not earn the point.
# 2. What is still true: every word's own vector is the same in both orders (so it carries no
#    information about order).
# 3. Invariance needs a step that discards row order: mean, sum or maximum over the tokens.
# 4. Position information added to the embeddings makes order matter. A causal mask also counts if
#    the answer says that it is tied to positions.
#
# **Full (4).** "It is equivariant: swapped words give swapped output rows. Each word keeps its
# vector, so who ate whom is lost. Only a mean over the rows would be invariant. With positional
# encodings added to the embeddings, the same word differs from position to position."
#
# **Partial (2).** "It should be equivariant, the output is permuted with the input. To fix it the
# paper adds sine and cosine positions to the embeddings." (Points 1 and 4.)
#
# **Wrong (0).** "The statement is right: the gap I measured was $10^{-16}$, so both sentences give
# the same output, and word order is learned during training by $W^Q$ and $W^K$."

# %% [markdown] written="1.11.c"
# A report shows one heat map in which "it" gives weight 0.8 to "animal", and concludes: *"The model
# predicted this class because of 'animal'."* Say what the weight means, give one way in which the
# conclusion can be wrong even though the map is right, and describe one experiment that would test
# the conclusion.
#
# <!-- answer -->
# The weight says that in this head 80 % of the mixture at "it" comes from the *value vector* at
# "animal", and nothing more. The conclusion can fail because that value may be short, or almost
# equal to the others, or be ignored by later layers or outweighed by other heads and the residual
# connection; then other weights would give the same prediction. To test it, intervene: mask the key
# "animal" for this head (or replace the token) on many sentences, and measure how the predicted
# probability changes, compared with masking another token of similar weight. If the prediction
# stays, the weight did not explain it.

# %% [markdown] rubric="1.11.c"
# 1. (1 point) What the weight is: a share in the mixture of value vectors, in one head of one
#    layer.
# 2. (1 point) A concrete way to be wrong: small or similar values, other heads or layers, the
#    residual path, different weights with the same output. "Correlation is not causation" alone
#    does not earn the point.
# 3. (1 point) An intervention: mask or replace the token, or change the weights, and measure the
#    change in the *prediction*.
# 4. (1 point) A comparison that turns it into a test: a control token, or many sentences instead of
#    one.
#
# **Full (4).** "It is the share of animal's value in this head's output for 'it'. If that value is
# tiny or later layers ignore the head, the class does not depend on it. Mask 'animal' in 200
# sentences and compare the change in class probability with masking a random other word."
#
# **Partial (2).** "The weight only tells how values are mixed in one head. I would remove 'animal'
# and see if the class changes." (Points 1 and 3.)
#
# **Wrong (0).** "0.8 is high, so the conclusion is right for this sentence; with 0.3 it would be
# doubtful. Averaging the map over all heads would prove it."

# %% [markdown] exercise="1.12"
# Let a loss $L$ depend on the output, and let $G = \partial L/\partial\,\mathrm{output}$ be given
# (`grad_output`). Return the gradients of $L$ with respect to query, key and value, in this order
# and in their shapes, for the forward pass of 1.4. There may be leading batch axes, the same for
# all arrays. Masks work as in 1.4; a query with no allowed key has no influence, so its gradient is
# zero. Compute the weights inside the function.
#
# Two rules are enough. For a product $C = AB$: $\;\partial L/\partial A = (\partial L/\partial C)
# B^\top$ and $\partial L/\partial B = A^\top(\partial L/\partial C)$. For one row of a softmax:
# $\;\partial w_i/\partial s_j = w_i(\delta_{ij} - w_j)$.
#
# **The trap.** A score affects every weight in its row. Which term of the second rule says so, and
# which sum does it become?

# %% component="course_lib.numpy_forms.gradients:attention_backward"

# %% check="1.12"

# %%
# Your gradients in use: gradient descent on query, key and value until attention produces a given
# output.
with needs("1.4", "1.12"):
    rng = np.random.default_rng(12)
    arrays = [rng.standard_normal(shape) for shape in ((4, 8), (6, 8), (6, 3))]
    target, losses = rng.standard_normal((4, 3)), []
    for _ in range(300):
        error = attention(*arrays)[0] - target
        losses.append(float((error**2).sum()))
        gradients = attention_backward(2 * error, *arrays)
        arrays = [a - 0.1 * g for a, g in zip(arrays, gradients, strict=True)]
    _, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
    ax.semilogy(losses)
    ax.set(title="Descent with attention_backward", xlabel="step", ylabel="squared error")
    describe(ax, "The squared error, on a logarithmic axis, against 300 steps.")
    print(f"squared error: {losses[0]:.2f} at the start, {losses[-1]:.1e} after 300 steps")
