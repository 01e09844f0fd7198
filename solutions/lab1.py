# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown] title="lab1"
# Take the translator of assignment 4 and throw its encoder away. What is left is the model behind
# every assistant that you have talked to: a stack of masked self-attention that predicts the next
# token (Radford et al. 2018, 2019). This lab is optional and gives no points. You write the parts
# that are new, put them into the course's `LanguageModel`, train it, and let it write.
#
# Four things are different from the translator's decoder:
#
# 1. **The loss needs no pairs.** Any text is its own answer: what follows each token.
# 2. **Positions are turned, not added.** Queries and keys are rotated by an angle that grows with
#    the position, so their product depends on the distance alone (Su et al. 2021).
# 3. **The cache is in the attention**, and holds one kind of keys: those of what was read.
# 4. **It is asked for a sample**, not for the best text: nobody wants the same answer every time.
#
# | name | shape | |
# |---|---|---|
# | `token_ids` | `(batch, n)` | text; 0 is padding |
# | `positions` | `(batch, n)` | of each token, from 0; padding takes none |
# | `queries`, `keys`, `values` | `(batch, n_heads, n, d_k)` | after `split_heads` |
# | `logits` | `(batch, n, vocab_size)` | row $i$ scores what follows token $i$ |
#
# Attention, masks, norms, the tokenizer and `sampling_distribution` are those of the assignments,
# imported. The profile `tiny` learns to write like a grammar that a program uses to make up
# sentences: that takes a minute, and shows that every part works. The profile `cpu`, which the
# set-up cell takes where there is a GPU, reads 29,000 captions of photographs; without a GPU, it
# takes some minutes (write `COURSE_PROFILE=cpu` into the environment).

# %% setup="lab1"

# %%
import math
import os
import time

from course_lib.data.datasets import load
from course_lib.data.token_blocks import TokenBlocks
from course_lib.families.language_model import LanguageModel
from course_lib.recipes.language import streams
from course_lib.recipes.language_profiles import profile
from course_lib.recipes.profiles import fit_by

settings = profile(os.environ.get("COURSE_PROFILE", "tiny"))
data = load(settings.dataset)
tokenizer, training, validation = streams(data, settings)
print(settings)
print(f"{len(training):,} tokens to learn from, {len(validation):,} to test with")
print("the first of them:", tokenizer.decode(training[:40].tolist()))

# %% [markdown] exercise="L1.1"
# A text of $n$ tokens is $n - 1$ exercises: predict each token from those before it. The causal
# mask lets a model do them all in one pass, because position $i$ cannot see what it is asked for.
#
# $$L = -\frac{1}{n-1}\sum_{i=1}^{n-1} \log p(t_{i+1} \mid t_1 \ldots t_i)$$
#
# - `language_loss(model, token_ids, label_smoothing=0.0)`: `model(ids)` gives logits. Returns the
#   mean over all predicted tokens of the batch, and an empty dict, because `fit` would log more.
#   `F.cross_entropy` is allowed; blocks are cut from a stream, so there is no padding.

# %% component="course_lib.training.language_losses:language_loss"

# %% check="L1.1"

# %% [markdown] prediction="L1.1"
# **Predict:** before any training, what is the loss, if the vocabulary has $V$ tokens?
#
# <!-- answer -->
# About $\ln V$: the logits are nearly equal, so each token gets a share of $1/V$. A loss that
# starts far above means that the first weights are too large; one that starts below, that the model
# sees what it is asked for.

# %%
with needs("L1.1"):
    torch.manual_seed(0)
    untrained = LanguageModel(tokenizer.vocab_size, n_layers=2, d_model=64, n_heads=4, d_ff=128)
    found, _ = language_loss(untrained.eval(), training[:129][None])
    print(f"loss {found:.2f}, ln V = {math.log(tokenizer.vocab_size):.2f}")

# %% [markdown] exercise="L1.2"
# Sinusoids are added to what a token means. Rotary positions leave it alone: they turn queries and
# keys, and the product of two turned vectors depends on the difference of the angles. Feature $i$
# and feature $i + d_k/2$ are a pair, a point in a plane, which is turned by the angle
# $p \cdot 10000^{-2i/d_k}$ at position $p$:
#
# $$a' = a\cos\theta - b\sin\theta, \qquad b' = b\cos\theta + a\sin\theta$$
#
# The frequencies are those of the paper's sinusoids (§3.5).
#
# - `rotate(x, positions)`: `x` of shape `(batch, n_heads, n, d_k)`, `positions` of shape
#   `(batch, n)`; each text has its own. All first members of the pairs come first. The result has
#   the type of `x`. Raise `ValueError` for an odd number of features.

# %% component="course_lib.positions:rotate"

# %% check="L1.2"

# %%
with needs("L1.2"):
    n, d_k = 128, 64
    vector, places = torch.ones(1, 1, n, d_k), torch.arange(n)[None]
    scores = (rotate(vector, places) @ rotate(vector, places).mT)[0, 0] / d_k
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
    left.imshow(scores, cmap="viridis")
    left.set(title="Query · key, both all ones", xlabel="position of the key",
             ylabel="position of the query")
    right.plot(scores[0])
    right.set(title="From position 0", xlabel="distance", ylabel="score / d_k")
    figure.tight_layout()
    describe(figure, "On the left, scores of 128 queries with 128 keys: every diagonal has one "
             f"color. On the right, the first row: from {scores[0, 0]:.2f} at distance 0 it falls "
             f"to {scores[0, 64]:.2f} at 64.")
    gap = float((scores[0, :64] - scores[64, 64:]).abs().max())
    print(f"the largest difference between row 0 and row 64, shifted: {gap:.1e}")

# %% [markdown]
# Every diagonal has one color: equal distances give equal scores, wherever they are in the text.
# And the score falls with the distance before anything is learned, because the fast pairs are soon
# out of step. A model may use that or work against it with its projections.

# %% [markdown] exercise="L1.3"
# In assignment 4 the cache was a state that the search carried along. Here each attention has one
# of its own, and the model does not notice.
#
# - `KeysAndValues`, a dataclass with `keys` and `values`, both None at first:
#   - `extend(keys, values)` adds new positions at the end, keeps everything, and returns
#     everything: `(keys, values)`, each `(batch, n_heads, n, d_k)`.
#   - `keep(rows)` keeps these rows of the batch, in this order; of an empty cache, nothing.

# %% component="course_lib.families.cached_attention:KeysAndValues"

# %% check="L1.3"

# %% [markdown] exercise="L1.4"
# Now the attention of assignment 2 with both: turn, then remember, then attend.
#
# - `CachedAttention.attend(queries, keys, values, mask)`: all three are projected and split into
#   heads, `(batch, n_heads, n, d_k)`; `ProjectedAttention`, which is imported, does that before and
#   merges the heads afterwards. If `self.positions` is set, queries and keys of the new rows are
#   turned. If `self.cache` is set, the new keys and values are added to it, and the queries attend
#   to all that it has, by `attention` of assignment 2 with `self.dropout`. Returns
#   `(heads, weights)`.
#
# What is turned once stays turned, so the cache holds keys as they are after `rotate`.

# %% component="course_lib.families.cached_attention:CachedAttention"

# %% check="L1.4"

# %% [markdown] exercise="L1.5"
# How good is a language model? It is as undecided as if it had to choose among this many equally
# likely tokens:
#
# $$\text{perplexity} = \exp\Big(-\frac{1}{N}\sum_{i=1}^{N}\log p(t_{i+1} \mid \ldots)\Big)$$
#
# - `perplexity(model, tokens, length, rows=64)`: `tokens` is one long stream, `(n,)`. Cut it into
#   blocks of `length` predictions (so `length + 1` tokens; neighbors share one), the last of which
#   may be shorter, and read `rows` of them at a time. Every token after the first counts once. Use
#   `language_loss`, without gradients, on the model's device. Dropout is off meanwhile, and the
#   model ends in the mode in which it came.

# %% component="course_lib.evaluation.language:perplexity"

# %% check="L1.5"

# %% [markdown]
# ### Train it
#
# `LanguageModel` is the course's: embeddings that are also the last layer, blocks of your attention
# and a feed-forward net with GELU, the norms first. What is missing in it are your parts, which the
# next cell puts into its place. It then trains on blocks of the stream.

# %% [markdown] prediction="L1.5"
# **Predict:** a model that knows only how often each token occurs has the perplexity that the next
# cell prints first. By which factor will yours be better?
#
# <!-- answer -->
# By a factor of about nine on the made-up sentences. Their grammar leaves few choices for the next
# kind of word, but a dozen words of that kind: no model can know which of them comes.

# %%
with needs("L1.1", "L1.4", "L1.5"):
    def of_your_own(vocab_size, settings):
        """The untrained model of a profile, with the attention of this notebook."""
        sizes = settings.model
        torch.manual_seed(settings.seed)
        model = LanguageModel(
            vocab_size, sizes.n_layers, sizes.d_model, sizes.n_heads, sizes.d_ff, sizes.dropout,
            positions=settings.positions, max_length=settings.length)
        for block in model.blocks:
            own = CachedAttention(sizes.d_model, sizes.n_heads, sizes.dropout)
            own.load_state_dict(block.attention.state_dict())  # GPT-2's small start
            block.attention = own
        return model

    counts = torch.bincount(training, minlength=tokenizer.vocab_size) + 1.0
    shares = counts / counts.sum()
    print(f"by counting tokens: perplexity {(-shares[validation].log().mean()).exp():.1f}")

    model = of_your_own(tokenizer.vocab_size, settings)
    rows = settings.max_tokens // settings.length
    batches = TokenBlocks(training, settings.length, rows, settings.seed)

    def evaluate(model):
        return {"perplexity": perplexity(model, validation, settings.length)}

    started = time.process_time()
    history = fit_by(settings, model, batches, language_loss, evaluate, progress=True, folder=None)
    print(f"{len(batches) * settings.epochs} steps, "
          f"{(time.process_time() - started) / 60:.1f} minutes of CPU time")
    print(f"your model: perplexity {perplexity(model, validation, settings.length):.1f}")
    losses = [row["loss"] for row in history if "loss" in row]
    figure, axes = plt.subplots(figsize=(6, 3))
    axes.plot(losses)
    axes.set(title="Training loss", xlabel="step", ylabel="loss")
    describe(figure, f"The training loss falls from {losses[0]:.2f} to {losses[-1]:.2f}.")

# %% [markdown] exercise="L1.6"
# The model gives a distribution; a text needs one token of it. `sampling_distribution` of
# assignment 4 makes it sharper or flatter and cuts off its tail. (If you left 4.21 out, read it
# now: `course_lib/decoding/sampling.py`.)
#
# - `next_tokens(logits, temperature, top_k, top_p, generator)`: for each row of `logits` one token,
#   a tensor of shape `(rows,)`. Temperature 0 means the most likely one. Otherwise draw from
#   `sampling_distribution`, which takes *log probabilities*, with `torch.multinomial` and the
#   generator.

# %% component="course_lib.decoding.generate:next_tokens"

# %% check="L1.6"

# %% [markdown] exercise="L1.7"
# Now everything at once.
#
# - `generate(model, prompts, max_new_tokens, temperature=1.0, top_k=None, top_p=None, end=None,
#   generator=None)`: `prompts` are lists of token ids, which may differ in length. Returns for each
#   the list of the tokens that follow it, at most `max_new_tokens`. A text is done before `end`,
#   which is not returned; the others continue. Raise `ValueError` for an empty prompt.
#
# Shorter prompts get padding (`model.pad_id`) *in front*, so that the next token of all is in the
# same column; the model gives padding no position and does not attend to it. `model(rows, cache)`
# takes the whole texts and a list with one `KeysAndValues` for each of `model.blocks`, reads only
# what the cache does not have, and returns logits for these positions alone. When a text is done,
# its row leaves the tokens and the cache.

# %% component="course_lib.decoding.generate:generate"

# %% check="L1.7"

# %%
def write(model, starts, max_new_tokens=30, seed=0, **how):
    """What the model makes of the beginnings of texts."""
    end, device = tokenizer.END, model.tokens.weight.device
    prompts = [[end, *ids] for ids in tokenizer.encode(starts)]
    generator = torch.Generator(device).manual_seed(seed)
    found = generate(model.eval(), prompts, max_new_tokens, end=end, generator=generator, **how)
    return [tokenizer.decode([*a, *b]) for a, b in zip(prompts, found, strict=True)]


with needs("L1.1", "L1.4", "L1.5", "L1.7"):
    starts = [" ".join(text.split()[:2]) for text in data["validation"][:3][settings.text]]
    for how in ({"temperature": 0}, {"temperature": 1.0, "top_p": 0.9}, {"temperature": 2.5}):
        print(how)
        for text in write(model, starts, **how):
            print("   ", text)

# %% [markdown]
# At temperature 0 the sentences are dull, and the same every time; with `top_p = 0.9` they differ
# as much as those of the training; at 2.5 the tail has its say, and grammar is lost. The model is
# the same in all three. What the first two still get wrong is due to a training of seconds.

# %% [markdown] prediction="L1.7"
# **Predict:** a text of 400 tokens is written with and without the cache. How much faster is it
# with the cache: 2, 20 or 200 times?
#
# <!-- answer -->
# A few times, and not hundreds. Without a cache, step $i$ reads $i$ tokens, 200 times as many on
# average; but a small model reads 200 tokens in hardly more time than one, as each step costs the
# same calls. The larger the model, the closer one comes to 200.

# %%
class Forgetful:
    """A model that reads everything again: it does not pass the cache on."""

    def __init__(self, model):
        self.model, self.tokens = model, model.tokens
        self.blocks, self.pad_id = model.blocks, model.pad_id

    def __call__(self, rows, cache):
        return self.model(rows)


with needs("L1.1", "L1.4", "L1.5", "L1.7"):
    seconds = {}
    for name, reader in (("with the cache", model.eval()), ("without", Forgetful(model))):
        started = time.process_time()
        text = generate(reader, [[tokenizer.END]], 400, temperature=0)
        seconds[name] = time.process_time() - started
        print(f"{name}: {seconds[name]:.1f} s of CPU time for {len(text[0])} tokens")
    print(f"{seconds['without'] / seconds['with the cache']:.1f} times as fast")

# %% [markdown]
# **Next.** `course_lib/recipes/language.py` does this in one call, and
# `student generate --help`, where your release has it, writes from the command line. Try a text of
# your own: anything with a training and a validation part, such as two lists of sentences, will do
# in place of `data`. And compare positions: `LanguageModel` also takes `positions="learned"`,
# `"sinusoidal"` or `"none"`. Which of them still works on texts that are longer than those of the
# training?
