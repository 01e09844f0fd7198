# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown] title="lab3"
# In lab 2 your encoder read a few thousand texts, and reading helped little. MiniLM has 6 layers
# and 22.7 million weights, was trained on a billion pairs of sentences, and anybody may use it.
# In this lab you put its weights into the encoder that you wrote, check that it computes the
# published numbers, and teach it to judge films with 1,000 labels. It is optional and gives no
# points.
#
# | name | shape | |
# |---|---|---|
# | `token_ids` | `(batch, n)` | [CLS] text [SEP], then padding (0) |
# | `config` | dict | the published sizes |
# | `weights` | dict | the published tensors, by their names |
# | `A`, `B` | `(rank, n_in)`, `(n_out, rank)` | two thin matrices |
#
# The encoder is the course's `BertEncoder`. The model takes 90 MB. `load_model` looks for it in the
# folder `COURSE_DATA`, on the Hugging Face hub and in a package of the Python index. If none can be
# reached, or with the profile `tiny`, it makes a small model with random weights: everything runs,
# and the figures mean nothing.

# %% setup="lab3"

# %%
import os
import time
from dataclasses import replace

from sklearn.linear_model import LogisticRegression

from course_lib.data.batching import batches_in_order
from course_lib.data.cycled import CycledExamples
from course_lib.data.datasets import load
from course_lib.data.models.published_model import load_model
from course_lib.data.segments import marked
from course_lib.families.encoder_heads import classifier_from
from course_lib.recipes.masked_language_profiles import LOW_RANK, LOW_RANK_RATE, PUBLISHED
from course_lib.recipes.profiles import fit_by
from course_lib.training.classification_loss import classification_loss

TINY = os.environ.get("COURSE_PROFILE") == "tiny"
settings = replace(PUBLISHED, steps=10) if TINY else PUBLISHED
published = load_model("minilm", ["generated"] if TINY else None)
reviews = load("generated_sentences" if TINY else "sst2_sentences")
tokenizer = published.tokenizer


def read(texts):
    """Each text as the encoder reads it: [CLS] … [SEP]."""
    return [marked(ids, settings.length) for ids in tokenizer.encode(list(texts))]


print(published.citation)
for name in sorted(published.weights):  # of the layers, the first
    if "layer." not in name or "layer.0." in name:
        print(f"{name:<56} {tuple(published.weights[name].shape)}")

# %% [markdown]
# ### Pieces of words
#
# The model reads WordPiece: a frequent word is one token, others are cut into pieces, and `##`
# marks a piece that continues a word. The word embeddings have one row for each of 30,522 pieces,
# so the tokenizer belongs to the model: with another one, every row would be another word's. The
# course has its five special tokens first; `load_model` has moved the rows accordingly.

# %%
for text in ("The dog chased its ball.", "An unfunnier film was never made."):
    print(*tokenizer.tokens(read([text])[0]))

# %% [markdown] exercise="L3.1"
# Their layers are yours under other names. Only a table is missing.
#
# - `own_name(name)`: the name in `BertEncoder` of a published weight, such as
#   `encoder.layers.0.attention.w_q.weight` for `encoder.layer.0.attention.self.query.weight`. None
#   for what our encoder has no place for: the pooler, and `position_ids`, which just counts.
#
# | theirs | ours |
# |---|---|
# | `embeddings.word_embeddings` | `tokens` |
# | `embeddings.position_embeddings` | `positions` |
# | `embeddings.token_type_embeddings` | `segments` |
# | `embeddings.LayerNorm` | `norm` |
# | `encoder.layer.7` | `encoder.layers.7` |
# | in a layer: `attention.self.query`, `.key`, `.value` | `attention.w_q`, `.w_k`, `.w_v` |
# | `attention.output.dense` | `attention.w_o` |
# | `intermediate.dense`, `output.dense` | `feed_forward.w_1`, `feed_forward.w_2` |
# | the norm after attention | `attention_residual.norm` |
# | the norm after the feed-forward network | `feed_forward_residual.norm` |
#
# The published names of the two norms are in the list above: find out which is which.

# %% component="course_lib.families.published_encoder:own_name"

# %% check="L3.1"

# %% [markdown] exercise="L3.2"
# - `encoder_from(config, weights)`: a `BertEncoder` with the sizes of `config` (`vocab_size`,
#   `num_hidden_layers`, `hidden_size`, `num_attention_heads`, `intermediate_size`,
#   `hidden_dropout_prob`, `max_position_embeddings`, `type_vocab_size`) and their weights.
#   Every `LayerNorm` gets their epsilon, `layer_norm_eps`, as its `eps`. `load_state_dict` refuses
#   missing and unexpected weights: that is your first test.

# %% component="course_lib.families.published_encoder:encoder_from"

# %% check="L3.2"

# %% [markdown] prediction="L3.2"
# **Predict:** if you exchanged `w_q` and `w_k` of every layer, all shapes would still fit. Would
# the vectors change?
#
# <!-- answer -->
# Yes. The scores of a head would be those of the transposed matrix: each word would attend to those
# that used to attend to it. Nothing would complain. That is why the next cell compares numbers.

# %% [markdown]
# ### Is it the same model?
#
# The next cell compares your encoder with numbers that the package `transformers` computed with the
# published model, for one sentence: the first six of the vector of [CLS].

# %%
with needs("L3.1", "L3.2"):
    encoder = encoder_from(published.config, published.weights).eval()
    print(f"{sum(one.numel() for one in encoder.parameters()):,} weights in your encoder")
    theirs = torch.tensor([0.2330943, 0.1712050, 0.2152673, 0.0417116, 0.1351341, 0.1580566])
    with torch.no_grad():
        x, _ = encoder(torch.tensor(read(["The dog chased its ball."])))
    print("theirs", *(f"{value:.4f}" for value in theirs))
    print("yours ", *(f"{value:.4f}" for value in x[0, 0, :6]))
    print(f"largest difference {(x[0, 0, :6] - theirs).abs().max():.0e}")

# %% [markdown] exercise="L3.3"
# This model was trained so that the mean of its vectors says what a sentence is about (Reimers and
# Gurevych 2019).
#
# - `sentence_vectors(encoder, token_ids)`: for each text the mean of the encoder's vectors over its
#   real tokens (`masked_mean`, and `padding_mask` with `encoder.pad_id`), divided by its length, so
#   that every vector has length 1. The product of two is then the cosine of their angle.

# %% component="course_lib.families.published_encoder:sentence_vectors"

# %% check="L3.3"

# %% [markdown] prediction="L3.3"
# **Predict:** which pair is most alike for the model: two sentences that say the same in other
# words, two that share a word of two meanings, or *I loved this film* and *I hated this film*?
#
# <!-- answer -->
# The last. They are about the same thing, and that is what the vectors were trained for; they say
# the opposite of it. So the verdict is no large part of the vector, and has to be learned from
# labels. The two meanings of *bank* are far apart, because attention mixes the sentence into them.

# %%
with needs("L3.1", "L3.2", "L3.3"):
    pairs = [("The film was a waste of time.", "I regret having watched this movie."),
             ("The bank raised its rates.", "They sat on the bank of the river."),
             ("I loved this film.", "I hated this film.")]

    @torch.no_grad()
    def vectors(texts):
        """The vectors of any number of texts, in batches."""
        sequences = read(texts)
        found = torch.empty(len(sequences), published.config["hidden_size"])
        for indices, token_ids in batches_in_order(sequences, 4096):
            found[indices] = sentence_vectors(encoder.eval(), token_ids)
        return found

    cosines = [float(a @ b) for a, b in map(vectors, pairs)]
    figure, axes = plt.subplots(figsize=(7, 2))
    axes.barh(["\n".join(pair) for pair in pairs], cosines)
    axes.bar_label(axes.containers[0], fmt="%.2f", padding=3)
    axes.set(title="How alike two sentences are", xlabel="cosine", xlim=(0, 1))
    axes.invert_yaxis()
    describe(figure, "Cosines of three pairs of sentences: "
             + ", ".join(f"{cosine:.2f}" for cosine in cosines) + ".")

# %% [markdown]
# ### Freeze it
#
# This is the cheapest way to use a model that others trained: leave it as it is, compute the
# vectors once, and train one linear layer on them.

# %%
with needs("L3.1", "L3.2", "L3.3"):
    training, validation = reviews["train"][:], reviews["validation"][:]
    rows = np.random.default_rng(0).permutation(len(training["label"]))[:1000].tolist()
    sentences = [training["sentence"][row] for row in rows]
    labels = [training["label"][row] for row in rows]

    started = time.process_time()
    known, new = vectors(sentences), vectors(validation["sentence"])
    print(f"{len(known) + len(new):,} vectors in {time.process_time() - started:.0f} CPU seconds")
    scores = {}
    for count in (50, 200, 1000):
        layer = LogisticRegression(max_iter=1000).fit(known[:count], labels[:count])
        scores[count] = 100 * layer.score(new, validation["label"])
        print(f"frozen, {count} labels: {scores[count]:.1f} % of the validation sentences")

# %% [markdown]
# ### Fine-tune it
#
# Now all weights learn, with 1,000 labels and three passes over them, for two minutes.
# `classifier_from` is lab 2's: it trains a copy.

# %%
with needs("L3.1", "L3.2", "L3.3"):
    @torch.no_grad()
    def accuracy(model):
        """Percent of the validation sentences."""
        wanted, right = torch.tensor(validation["label"]), 0
        device = next(model.eval().parameters()).device
        for indices, token_ids in batches_in_order(read(validation["sentence"]), 4096):
            found = model(token_ids.to(device))[0].argmax(-1).cpu()
            right += int((found == wanted[indices]).sum())
        return 100 * right / len(wanted)

    def trained(model, rate):
        """The model after `settings.steps` steps on the 1,000 sentences, and its accuracy."""
        started = time.process_time()
        batches = CycledExamples(read(sentences), labels, settings.rows, settings.steps)
        fit_by(replace(settings.fine_tuning, learning_rate=rate), model, batches,
               classification_loss, lambda model: {}, progress=True, folder=None)
        learn = sum(one.numel() for one in model.parameters() if one.requires_grad)
        minutes = (time.process_time() - started) / 60
        score = accuracy(model)
        print(f"{learn:,} weights learned in {minutes:.1f} CPU minutes: {score:.1f} %")
        return score

    torch.manual_seed(0)
    tuned = classifier_from(encoder, dropout=settings.model.dropout, pooling="mean")
    scores["fine-tuned"] = trained(tuned, settings.fine_rate)

# %% [markdown] exercise="L3.4"
# A copy of all weights for every task is expensive when the model is large. Low-rank adaptation
# (Hu et al. 2021) leaves the matrix $W$ as it is and learns a change of low rank beside it:
#
# $$y = x W'^\top + b, \qquad W' = W + \frac{\alpha}{r} B A$$
#
# - `LowRankLinear(linear, rank, alpha=16.0)`: `linear` is an `nn.Linear` with W and b, which no
#   longer learns. Its parts are `linear`, `A`, `(rank, n_in)`, normal with standard deviation
#   1/√n_in, and `B`, `(n_out, rank)`, zero. `weight` is W′ and `bias` is b, both properties;
#   `forward` uses them. Raise `ValueError` for a rank below 1.

# %% component="course_lib.families.low_rank:LowRankLinear"

# %% check="L3.4"

# %% [markdown] prediction="L3.4"
# **Predict:** why may B begin at zero, and A not as well?
#
# <!-- answer -->
# With B = 0 the model begins as it was. The gradient of B has A as a factor and the gradient of A
# has B: with B = 0 only B moves in the first step, and then both. If both were zero, neither would
# ever move.

# %% [markdown] exercise="L3.5"
# - `add_low_rank(model, rank, alpha=16.0, names=("w_q", "w_v"))`: freezes every parameter of
#   `model`, and replaces each `nn.Linear` in it that is called by one of these names with a
#   `LowRankLinear`. It changes the model itself and returns nothing. Raise `ValueError` if there is
#   no such layer.

# %% component="course_lib.families.low_rank:add_low_rank"

# %% check="L3.5"

# %%
with needs("L3.1", "L3.2", "L3.3", "L3.4", "L3.5"):
    torch.manual_seed(0)
    adapted = classifier_from(encoder, dropout=settings.model.dropout, pooling="mean")
    add_low_rank(adapted.encoder, LOW_RANK)
    scores["adapters"] = trained(adapted, LOW_RANK_RATE)

    names = ["frozen", "fine-tuned", "adapters"]
    heights = [scores[1000], scores["fine-tuned"], scores["adapters"]]
    figure, axes = plt.subplots(figsize=(6, 2.8), layout="constrained")
    bars = axes.barh(names, heights)
    axes.bar_label(bars, fmt="%.1f", label_type="center", color="white")
    axes.axvline(81.3, color="black", linestyle=":", label="assignment 3, with 67,000 labels")
    axes.set(title="1,000 labels: percent of the validation sentences", xlim=(50, 90))
    axes.invert_yaxis()
    figure.legend(loc="outside lower center")
    describe(figure, "Accuracy with 1,000 labels: " + ", ".join(
        f"{name} {height:.1f} %" for name, height in zip(names, heights, strict=True)))

# %% [markdown]
# Do not compare these bars too closely: this was one seed, and 872 sentences alone make an accuracy
# uncertain by ±2.5 points. Part 8 of the lectures has means over three seeds on test sentences.
#
# After the training, B A can be added into W: then `weight` is a matrix like any other, and the
# model is as fast as before.

# %%
with needs("L3.1", "L3.2", "L3.3", "L3.4", "L3.5"):
    layer = adapted.encoder.encoder.layers[0].attention.w_q
    change = layer.weight - layer.linear.weight
    print(f"the change has rank {int(torch.linalg.matrix_rank(change))} of {len(change)}, "
          f"and {change.norm() / layer.linear.weight.norm():.0%} of the matrix's norm")

# %% [markdown]
# ### As everybody does it
#
# With the package `transformers` and a network, all of this is a few lines. You know now what they
# do. The next cell fetches the model from the hub by its name and compares its vector with your
# encoder's; it is left out where that is not possible.

# %%
def from_hub(name):
    """A tokenizer and a model of the hub, or one sentence on why not."""
    try:
        from transformers import AutoModel, AutoTokenizer
    except ImportError:
        return "Left out: the package `transformers` is not installed."
    try:
        return AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name).eval()
    except OSError:
        return f"Left out: {name} cannot be fetched, as there is no network."


with needs("L3.1", "L3.2", "L3.3"):
    fetched = from_hub("sentence-transformers/all-MiniLM-L6-v2")
    if isinstance(fetched, str):
        print(fetched)
    else:
        their_tokenizer, their_model = fetched
        text = "The dog chased its ball."
        with torch.no_grad():
            hidden = their_model(**their_tokenizer(text, return_tensors="pt")).last_hidden_state
        wanted = F.normalize(hidden.mean(dim=1), dim=-1)
        print(f"largest difference {(vectors([text]) - wanted).abs().max():.0e}")
