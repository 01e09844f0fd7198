# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown] title="exam"
# Three tasks, 90 minutes. Replace each `raise NotImplementedError(…)` by your code, mend what is
# broken, and save; only this notebook is graded. The check below each exercise may be run as often
# as you like. It tests a few cases, and hidden tests decide the rest of the points.
#
# Functions, classes and imports are graded, found by name: keep the names and the parameters. In
# masks, **True = may attend**.

# %% setup="exam"

# %% [markdown]
# # Task 1: masked multi-head attention (40 points, 40 minutes)

# %% [markdown] exercise="0.1"
# $$\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$
#
# Return `(output, weights)`, the weights before dropout. A query whose keys are all masked gets
# zero weights, a zero output and finite gradients.

# %% component="course_lib.attention:attention"

# %% check="0.1"

# %% [markdown] exercise="0.2"
# Head $i$ has the features $i\,d_k, \ldots, (i+1)\,d_k - 1$ of every token.

# %% component="course_lib.attention:split_heads"

# %% component="course_lib.attention:merge_heads"

# %% check="0.2"

# %% [markdown] exercise="0.3"
# Four `nn.Linear(d_model, d_model, bias=bias)` with the names `w_q`, `w_k`, `w_v`, `w_o`. Return
# `(output, weights)`, or `(output, None)` unless `need_weights`.

# %% component="course_lib.attention:MultiHeadAttention"

# %% check="0.3"

# %% [markdown]
# # Task 2: repair an encoder (35 points, 30 minutes)
#
# Each of the five classes below has exactly one bug. Mend them: a part counts if it is right as a
# whole. You need not have done task 1: the checks bring their own attention, and the grader tries
# the encoder with a right one if yours is not.

# %% [markdown] exercise="0.4"
# The docstring says what is right, here and in the other parts.

# %% component="course_lib.normalization:LayerNorm" bug="a2/layer_norm_unbiased"

# %% check="0.4"

# %% [markdown] exercise="0.5"
# Look at both orders, post-norm and pre-norm.

# %% component="course_lib.residual:ResidualConnection" bug="a2/residual_adds_normed_x"

# %% check="0.5"

# %% [markdown] exercise="0.6"
# $$\mathrm{FFN}(x) = \max(0, xW_1 + b_1)W_2 + b_2$$

# %% component="course_lib.feed_forward:FeedForward" bug="a3/feed_forward_relu_last"

# %% check="0.6"

# %% [markdown] exercise="0.7"
# It uses the three parts above and `MultiHeadAttention`.

# %% component="course_lib.encoder:EncoderLayer" bug="a3/layer_mask_not_passed_on"

# %% check="0.7"

# %% [markdown] exercise="0.8"
# What does the second layer read?

# %% component="course_lib.encoder:Encoder" bug="a3/stack_every_layer_reads_the_input"

# %% check="0.8"

# %% [markdown]
# # Task 3: long sequences (25 points, 20 minutes)

# %% [markdown] exercise="0.9"
# For $n$ tokens the table of weights has $n^2$ numbers: 1.2 GiB for 18,000 tokens. The result needs
# one row of it at a time. Write exact attention that never holds more than `block` rows. Hidden
# tests look at the largest tensor that you make, and try a sequence whose table does not fit into
# the memory that they allow.

# %% component="autograder.exam.long_attention:long_attention"

# %% check="0.9"
