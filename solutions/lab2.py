# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown] title="lab2"
# In assignment 3 the encoder learned English and judging at once, from labels alone. Labels are
# dear and text is cheap. BERT (Devlin et al. 2019) reads first: it hides words of texts that nobody
# has labeled, and learns to predict them. Only then is it given a few labels. This lab is
# optional and gives no points. You write what hides the words, the loss, and the heads; then you
# measure how many labels the reading was worth.
#
# | name | shape | |
# |---|---|---|
# | `token_ids` | `(batch, n)` | [CLS] text [SEP], then padding (0) |
# | `inputs` | `(batch, n)` | the same, with some words hidden |
# | `targets` | `(batch, n)` | the hidden words; −100 where nothing is asked |
# | `x` | `(batch, n, d_model)` | the encoder's vectors |
#
# The encoder is the course's `BertEncoder`: the layers of assignment 3, learned positions and GELU.
# The profile `tiny` reads 2,000 short reviews that a grammar made up, in a minute. The profile
# `cpu`, which the set-up cell takes where there is a GPU, reads the sentences of SST-2 and reviews
# of IMDb.

# %% setup="lab2"

# %%
import os
import time
from dataclasses import replace

from course_lib.data.batching import TokenBuckets, batches_in_order
from course_lib.data.cycled import CycledExamples
from course_lib.data.datasets import load
from course_lib.data.masking import MaskedBatches
from course_lib.data.segments import marked
from course_lib.families.masked_language_model import MaskedLanguageModel
from course_lib.initialization import initialize
from course_lib.recipes.masked_language_profiles import profile
from course_lib.recipes.profiles import fit_by

settings = profile(os.environ.get("COURSE_PROFILE", "tiny"))
texts = [t for name in settings.unlabelled for t in load(name)["train"][:]["sentence"]]
held_out = [t for name in settings.unlabelled for t in load(name)["validation"][:]["sentence"]]
tokenizer = TextTokenizer.train(
    texts, vocab_size=settings.vocab_size, min_frequency=settings.min_frequency)


def read(texts):
    """Each text as the encoder reads it: [CLS] … [SEP]."""
    return [marked(ids, settings.length) for ids in tokenizer.encode(list(texts))]


print(settings)
print(f"{len(texts):,} texts without labels, {tokenizer.vocab_size:,} words; the first:")
print("   ", texts[0])

# %% [markdown] exercise="L2.1"
# A model that reads in both directions cannot be asked for the next word: it sees it. So words are
# hidden. But no text that it will meet later has a [MASK] in it, so it must not rely on them:
#
# - `mask_tokens(token_ids, vocab_size, generator, share=0.15)` returns `(inputs, targets)`. Each
#   word is chosen with probability `share`, special tokens (ids below `len(SPECIAL)`) never. Of the
#   chosen words, 80 % become `TextTokenizer.MASK`, 10 % a word drawn from all words, and 10 % stay.
#   `targets` has the original chosen words, and `IGNORED` (−100) elsewhere. All draws
#   come from the generator. Raise `ValueError` unless 0 < `share` < 1.

# %% component="course_lib.data.masking:mask_tokens"

# %% check="L2.1"

# %% [markdown] prediction="L2.1"
# **Predict:** if all chosen words became [MASK], the training would be easier. What would the model
# not learn?
#
# <!-- answer -->
# To look at words that are not hidden as if they might be wrong. Wherever there is no [MASK], the
# vector of a position would be asked for nothing, and when the model is fine-tuned, no position has
# one. With the 10 % that stay and the 10 % that are replaced, every position may be asked for.

# %%
with needs("L2.1"):
    ids = torch.tensor([read(texts[:1])[0]])
    inputs, targets = mask_tokens(
        ids, tokenizer.vocab_size, torch.Generator().manual_seed(4), share=0.4)
    names = zip(tokenizer.tokens(ids[0].tolist()), tokenizer.tokens(inputs[0].tolist()),
                targets[0].tolist(), strict=True)
    for word, seen, target in names:
        print(f"{word:<12} {seen:<12} {'asked for' if target >= 0 else ''}")

# %% [markdown] exercise="L2.2"
# - `masked_language_loss(model, token_ids, targets, segment_ids=None, unrelated=None,
#   label_smoothing=0.0)`: a position is asked for if its target is not below 0.
#   `model(token_ids, segment_ids, asked)` gives `(logits, next_logits)`: logits of the positions
#   asked for alone, one after the other, which saves most of the work. Returns the mean
#   cross-entropy over them, 0 if there are none, and `{"accuracy": …}`, the share of them whose
#   most likely word is right.
#
#   With `unrelated` (1 where the second segment of a text does not follow the first), the mean
#   cross-entropy of `next_logits` is added, and the dict has `next_accuracy`. That was BERT's
#   second task; we do without it below, as RoBERTa does (Liu et al. 2019).

# %% component="course_lib.training.language_losses:masked_language_loss"

# %% check="L2.2"

# %% [markdown] exercise="L2.3"
# - `gap_measures(model, batches)`: `gap_accuracy` and `gap_perplexity`, exp of the mean
#   cross-entropy, over all gaps of the batches `(inputs, targets)`. Every gap counts once. The gaps
#   are those of `batches.set_epoch(0)`, so that two epochs of a training can be compared. Use
#   `masked_language_loss`, without gradients and dropout, on the model's device; the model ends in
#   the mode in which it came.

# %% component="course_lib.evaluation.gaps:gap_measures"

# %% check="L2.3"

# %% [markdown]
# ### Read
#
# The next cell hides words with your function, and trains the encoder and what fills the gaps.

# %%
with needs("L2.1", "L2.2", "L2.3"):
    class Gaps(MaskedBatches):
        """The library's batches, with words hidden by this notebook."""

        def __iter__(self):
            generator = torch.Generator().manual_seed(1000 * self.seed + self.epoch)
            for batch in self.batches:
                yield mask_tokens(batch[0], self.vocab_size, generator, self.share)

    def gaps_in(texts, seed):
        sequences = read(texts)
        buckets = TokenBuckets(sequences, [0] * len(sequences), settings.max_tokens, seed)
        return Gaps(buckets, tokenizer.vocab_size, settings.share, seed)

    def untrained():
        """An encoder and its filling of gaps, before any training."""
        sizes = settings.model
        encoder = BertEncoder(
            tokenizer.vocab_size, sizes.n_layers, sizes.d_model, sizes.n_heads, sizes.d_ff,
            sizes.dropout, sizes.norm_first, max_length=settings.length, n_segments=0)
        model = MaskedLanguageModel(encoder)
        initialize(model, "xavier", torch.default_generator)  # BERT's 0.02 is too small for these
        return model

    torch.manual_seed(0)
    reader, validation = untrained(), gaps_in(held_out, 0)
    started = time.process_time()
    history = fit_by(settings, reader, gaps_in(texts, 0), masked_language_loss,
                     lambda model: gap_measures(model, validation), progress=True, folder=None)
    reader.cpu()
    print(f"{(time.process_time() - started) / 60:.1f} minutes of CPU time")
    measured = [row for row in history if "gap_perplexity" in row]
    for epoch, row in enumerate(measured, start=1):
        print(f"epoch {epoch}: {row['gap_accuracy']:.0%} of the gaps are right, "
              f"perplexity {row['gap_perplexity']:.1f}")
    figure, axes = plt.subplots(figsize=(6, 3))
    axes.plot(range(1, len(measured) + 1), [row["gap_perplexity"] for row in measured], "o-")
    axes.set(title="Gaps in texts that it has not read", xlabel="epoch", ylabel="perplexity")
    describe(figure, f"Perplexity of the gaps falls from {measured[0]['gap_perplexity']:.1f} after "
             f"the first epoch to {measured[-1]['gap_perplexity']:.1f} after the last.")

# %%
with needs("L2.1", "L2.2", "L2.3"):
    def fill(words, k=5):
        """The most likely words for each [MASK]."""
        parts = tokenizer.encode(words.split())
        ids = [i for word, part in zip(words.split(), parts, strict=True)
               for i in ([tokenizer.MASK] if word == "[MASK]" else part)]
        row = torch.tensor([marked(ids, len(ids) + 2)])
        logits, _ = reader.eval()(row, None, row == tokenizer.MASK)
        return [tokenizer.tokens(best) for best in logits.topk(k).indices.tolist()]

    for question in ("the film was [MASK] .", "i [MASK] the story ."):
        print(question, *fill(question))

# %% [markdown]
# Nobody told it which words are alike: it found that those which fit into the same gap are.

# %% [markdown] exercise="L2.4"
# To judge a text, the encoder gets one new linear layer. What goes into it is one vector.
#
# - `Pooler(d_model)`: a linear layer `linear` and tanh, of the first token's vector, [CLS].
# - `TextClassifier(encoder, n_classes=2, dropout=0.1, pooling="cls")`: with `pooling="cls"` the
#   vector is that of a `Pooler`, with `"mean"` the mean over the real tokens (`masked_mean` of
#   assignment 3, and `padding_mask` with `encoder.pad_id`); anything else is a `ValueError`. Then
#   dropout, then `output`, an `nn.Linear`. `encoder(token_ids, segment_ids, need_weights)` gives
#   `(x, weights)`, and the classifier returns `(logits, weights)`. Its parts are called `encoder`,
#   `pooler` (None with `"mean"`), `dropout` and `output`. `start_small(module)` is how BERT begins.

# %% component="course_lib.families.masked_language_model:Pooler"

# %% component="course_lib.families.encoder_heads:TextClassifier"

# %% check="L2.4"

# %% [markdown] exercise="L2.5"
# Other tasks need other heads, and no more than one linear layer each.
#
# - `TokenClassifier(encoder, n_classes, dropout=0.1)`: logits for each token, to find names, say:
#   the linear layer `output`, after dropout, of every vector.
# - `SpanFinder(encoder)`: where the answer to a question begins and ends in a text: `output` gives
#   two numbers a token. Returns `(starts, ends)`, each `(batch, n)`; −∞ at padding, where nothing
#   begins or ends.

# %% component="course_lib.families.encoder_heads:TokenClassifier"

# %% component="course_lib.families.encoder_heads:SpanFinder"

# %% check="L2.5"

# %% [markdown] exercise="L2.6"
# - `classifier_from(encoder, n_classes=2, dropout=0.1, pooling="cls")`: a `TextClassifier` that
#   begins with the weights of `encoder` and trains a copy of it. Reading was the expensive part; it
#   has to serve more than once.

# %% component="course_lib.families.encoder_heads:classifier_from"

# %% check="L2.6"

# %% [markdown]
# ### How many labels is reading worth?
#
# For several numbers of labels, the next cell trains two classifiers on the same labeled sentences
# and for the same number of steps: one begins with your reader, the other from chance. Each is
# repeated with other sentences and another seed, and bars show the mean ± twice its standard error.

# %% [markdown] prediction="L2.6"
# **Predict:** where will the two curves be farthest apart: with few labels or with many? Will they
# meet?
#
# <!-- answer -->
# One would expect: with few labels, when what the words mean has to come from somewhere else, and
# with enough labels they meet. But where "few" ends depends on the task. In the made-up reviews a
# negation or a contrast turns the verdict around, so that the words alone say nothing: a hundred
# labels are too few for both, and both are near 50 %.

# %%
with needs("L2.1", "L2.2", "L2.3", "L2.4", "L2.6"):
    labelled = load(settings.dataset)
    training, test = labelled["train"][:], labelled["validation"][:]
    test_labels = torch.tensor(test["label"])

    def classification_loss(model, token_ids, labels, label_smoothing=0.0):
        logits, _ = model(token_ids)
        return nn.functional.cross_entropy(logits, labels, label_smoothing=label_smoothing), {}

    @torch.no_grad()
    def accuracy(model, read):
        """Percent of the test sentences."""
        right, device = 0, next(model.eval().parameters()).device
        for indices, token_ids in batches_in_order(read(test["sentence"]), 4096):
            found = model(token_ids.to(device))[0].argmax(-1).cpu()
            right += int((found == test_labels[indices]).sum())
        return 100 * right / len(test_labels)

    def fine_tuned(encoder, n_labels, seed, read=read, rate=settings.fine_rate):
        """The accuracy of a classifier that was trained on so many labeled sentences."""
        rows = np.random.default_rng(seed).permutation(len(training["label"]))[:n_labels]
        torch.manual_seed(seed)
        model = classifier_from(encoder, dropout=settings.model.dropout, pooling=settings.pooling)
        sentences = read([training["sentence"][row] for row in rows])
        labels = [training["label"][row] for row in rows]
        batches = CycledExamples(sentences, labels, 32, STEPS, seed)
        fit_by(replace(settings.fine_tuning, learning_rate=rate), model, batches,
               classification_loss, lambda model: {}, progress=False, folder=None)
        return accuracy(model, read)

    SIZES, SEEDS, STEPS = (100, 400, 1600), range(3), 150
    scores = {"read first": [], "from chance": []}
    started = time.process_time()
    for size in SIZES:
        for name, start in (("read first", lambda: reader), ("from chance", untrained)):
            row = []
            for seed in SEEDS:
                torch.manual_seed(100 + seed)  # another chance, and other sentences
                row.append(fine_tuned(start().encoder, size, seed))
            scores[name].append(row)
    print(f"{(time.process_time() - started) / 60:.1f} minutes of CPU time")
    figure, axes = plt.subplots(figsize=(6, 3.5))
    for name, rows in scores.items():
        means = np.mean(rows, axis=1)
        errors = 2 * np.std(rows, axis=1, ddof=1) / len(SEEDS) ** 0.5
        axes.errorbar(SIZES, means, errors, marker="o", capsize=3, label=name)
        told = ", ".join(f"{n} labels {m:.1f} ± {e:.1f}"
                         for n, m, e in zip(SIZES, means, errors, strict=True))
        print(f"{name}: {told}")
    axes.set(title="Accuracy in percent", xlabel="labels", xscale="log")
    axes.set_xticks(SIZES, map(str, SIZES))
    axes.legend()
    gains = np.mean(scores["read first"], axis=1) - np.mean(scores["from chance"], axis=1)
    describe(figure, "Accuracy over the number of labels, with and without reading: they differ by "
             f"{gains[0]:+.1f} points with {SIZES[0]} labels and {gains[-1]:+.1f} with "
             f"{SIZES[-1]}.")

# %% [markdown]
# Look at the bars before you believe a difference: 400 test sentences alone make an accuracy
# uncertain by ±5 points. On the made-up sentences nothing can be told from chance: 85 words leave
# little to read. Run the notebook with the profile `cpu` (the first cell takes it if you set
# `COURSE_PROFILE`): its reader has seen thousands of real reviews.

# %% [markdown]
# ### With a model that others have trained
#
# The same with an encoder that has read Wikipedia and 11,000 books, from the Hugging Face hub. The
# next cell puts it into the form of `BertEncoder`, so that your `classifier_from` takes it, and
# fine-tunes it on the same sentences. It needs the package `transformers` and a network, fetches
# some tens of megabytes, and is left out without.

# %%
PUBLISHED = "google/bert_uncased_L-4_H-256_A-4"  # 11 million weights, Apache 2.0


class Published(nn.Module):
    """A model of `transformers` in the form of `BertEncoder`."""

    def __init__(self, model):
        super().__init__()
        self.model, self.tokens = model, model.get_input_embeddings()
        self.pad_id = model.config.pad_token_id

    def forward(self, token_ids, segment_ids=None, need_weights=False):
        found = self.model(token_ids, (token_ids != self.pad_id).long())
        return found.last_hidden_state, None


def published(name):
    """A published tokenizer and encoder, or one sentence on why not."""
    try:
        from transformers import AutoModel, AutoTokenizer
    except ImportError:
        return "Left out: the package `transformers` is not installed."
    try:
        return AutoTokenizer.from_pretrained(name), Published(AutoModel.from_pretrained(name))
    except OSError:
        return f"Left out: {name} cannot be fetched, as there is no network."


with needs("L2.4", "L2.6"):
    found = published(PUBLISHED)
    if isinstance(found, str):
        print(found)
    else:
        theirs, encoder = found
        for size in SIZES:
            score = fine_tuned(encoder, size, 0, rate=1e-4, read=lambda texts: theirs(
                list(texts), truncation=True, max_length=settings.length)["input_ids"])
            print(f"{size} labels: {score:.1f} %")
