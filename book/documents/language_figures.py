"""Sentences of the documents about the measured language models."""

import re

from .measures import Measures


def compare(m: Measures) -> str:
    """Perplexities beside the n-grams', and what length costs a Transformer and the others."""
    names = {"transformer": "a Transformer", "lstm": "an LSTM", "gru": "a GRU"}
    trained = [model for model in names if f"{model}_perplexity" in m]
    reached = ", ".join(
        f"{m[f'{model}_perplexity'].mean:.1f} by {names[model]}" for model in trained
    )
    lengths = sorted(
        int(found[1]) for name in m if (found := re.fullmatch(r"transformer_kept_(\d+)", name))
    )
    short, long = lengths[0], lengths[-1]
    costs = "; ".join(
        f"{names[model]} trains on {m[f'{model}_tokens_per_second_{short}'].mean:,.0f} and "
        f"{m[f'{model}_tokens_per_second_{long}'].mean:,.0f} tokens a second, and keeps "
        f"{m[f'{model}_kept_{short}'].mean:.1f} and {m[f'{model}_kept_{long}'].mean:.0f} MiB of a "
        "text"
        for model in trained
    )
    n_seeds = len(m.transformer_perplexity.values)
    return (
        f"Perplexity on test_2016_flickr, {m.vocab_size.mean:,.0f} pieces of words, is {reached}, "
        f"each of about {m.transformer_parameters.mean / 1000:.0f} thousand parameters and after "
        f"{m.transformer_cpu_minutes.mean:.1f} CPU minutes for the Transformer "
        f"({n_seeds} seed{'s' if n_seeds > 1 else ''}); counting n-grams of order "
        f"{m.ngram_order.mean:.0f} reaches {m.ngram_perplexity.mean:.1f}. At {short} and {long:,} "
        f"tokens a text, {costs}"
    )


def positions(m: Measures) -> str:
    """The perplexity of every scheme, in blocks as trained on and in longer ones."""
    schemes = ("sinusoidal", "learned", "relative", "rotary", "none")
    reached = ", ".join(
        f"{m[f'{scheme}_perplexity'].mean:.1f} ({scheme}"
        + (
            f"; {m[f'{scheme}_factor'].mean:.3f} times, 95% interval "
            f"{m[f'{scheme}_factor_low'].mean:.3f} to {m[f'{scheme}_factor_high'].mean:.3f})"
            if f"{scheme}_factor_low" in m
            else ")"
        )
        for scheme in schemes
    )
    longer = ", ".join(f"{m[f'{scheme}_perplexity_longer'].mean:.1f}" for scheme in schemes)
    n_seeds = len(m.sinusoidal_perplexity.values)
    return (
        f"A small language model of English captions has a perplexity of {reached}, over {n_seeds} "
        f"seed{'s' if n_seeds > 1 else ''}; in blocks four times as long as those trained on, "
        f"{longer} in the same order"
    )


def induction(m: Measures) -> str:
    """Losses on periods that no step had, with and without the heads that look up."""
    heads = " to ".join(f"{n:.0f}" for n in sorted({min(m.heads.values), max(m.heads.values)}))
    return (
        f"On periods it never saw, a token that comes again costs {m.loss_again.mean:.2f} nats "
        f"and one that comes first {m.loss_first_time.mean:.2f} (means over {len(m.heads.values)} "
        f"seeds). {heads} heads of the second layer look up, each with at least "
        f"{m.least_score.mean:.0%} of its weight; a head of the first puts "
        f"{m.previous_token_score.mean:.0%} of its own on the token before, from which they know "
        "what came after what. Without those that look up, a repeated token costs "
        f"{m.loss_without_the_heads.mean:.1f} nats"
    )
