"""Style: loops over positions, tokens, sentences and hypotheses; plain lists, Python numbers."""

import math
import time

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn


def causal_mask(n, device=None):
    rows = [[key <= query for key in range(n)] for query in range(n)]
    return torch.tensor([[rows]], dtype=torch.bool, device=device)


def target_mask(token_ids, pad_id=0):
    masks = []
    for sentence in token_ids.tolist():
        rows = []
        for query in range(len(sentence)):
            rows.append([key <= query and sentence[key] != pad_id for key in range(len(sentence))])
        masks.append([rows])
    return torch.tensor(masks, dtype=torch.bool, device=token_ids.device)


def label_smoothed_loss(logits, targets, smoothing=0.1, pad_id=0):
    """Token by token: the true one's part, then everyone's."""
    vocab_size = logits.shape[-1]
    loss, count = logits.sum() * 0, 0
    for scores, target in zip(logits.reshape(-1, vocab_size), targets.reshape(-1), strict=True):
        if target == pad_id:
            continue
        logs = scores - scores.logsumexp(0)
        loss = loss - (1 - smoothing) * logs[target]
        for log in logs:
            loss = loss - smoothing / vocab_size * log
        count += 1
    return loss / count if count else loss


def shift_targets(target_ids):
    n = target_ids.shape[1]
    read = torch.stack([target_ids[:, i] for i in range(n - 1)], dim=1)
    wanted = torch.stack([target_ids[:, i + 1] for i in range(n - 1)], dim=1)
    return read, wanted


def translation_step(
    model,
    source_ids,
    target_ids,
    optimizer,
    schedule,
    max_norm=1.0,
    label_smoothing=0.1,
    backward=torch.Tensor.backward,
    clip=nn.utils.clip_grad_norm_,
    pad_id=0,
):
    """Collects the reported values along the way; clears the gradients first and last."""
    report = {"learning_rate": float(optimizer.param_groups[0]["lr"])}
    optimizer.zero_grad()
    model.train()
    read, wanted = shift_targets(target_ids)
    result = model(source_ids, read)
    logits = result[0]
    right, real = 0, 0
    for guesses, tokens in zip(logits.argmax(-1).tolist(), wanted.tolist(), strict=True):
        for guess, token in zip(guesses, tokens, strict=True):
            if token != pad_id:
                real += 1
                right += guess == token
    report["accuracy"] = right / real if real else 0.0
    loss = label_smoothed_loss(logits, wanted, label_smoothing, pad_id)
    report["loss"] = loss.item()
    backward(loss)
    report["gradient_norm"] = float(clip(list(model.parameters()), max_norm))
    optimizer.step()
    schedule.step()
    for parameter in model.parameters():
        parameter.grad = None
    return report


def uncached_step(model):
    """The last row of each prefix by itself."""

    def step(prefixes, state):
        with torch.no_grad():
            logits, _ = model.decode(prefixes, state.memory, state.source_mask)
            rows = [nn.functional.log_softmax(row[-1], dim=0) for row in logits]
        return torch.stack(rows), state

    return step


def greedy(
    step,
    state,
    n_rows,
    max_length,
    start=2,
    end=3,
    choose=most_likely,
    device="cpu",
):
    """Sentences are lists of tokens; those that are open are turned into a tensor for a step."""
    texts = [[start] for _ in range(n_rows)]
    scores = [0.0] * n_rows
    finished = [False] * n_rows
    open_rows = list(range(n_rows))
    steps = 0
    while open_rows and steps < max_length:
        steps += 1
        prefixes = torch.tensor([texts[row] for row in open_rows], device=device)
        logs, state = step(prefixes, state)
        tokens = choose(logs).tolist()
        places = []
        for place, (row, token) in enumerate(zip(open_rows, tokens, strict=True)):
            scores[row] += float(logs[place, token])
            if token == end:
                finished[row] = True
            else:
                texts[row].append(token)
                places.append(place)
        open_rows = [open_rows[place] for place in places]
        if places and len(places) < len(tokens):
            state = reorder(state, torch.tensor(places, device=device))
    return [
        Hypothesis(text[1:], score, done)
        for text, score, done in zip(texts, scores, finished, strict=True)
    ]


def length_penalty_factor(length, alpha):
    return math.pow((length + 5.0) / 6.0, alpha)


def continuations(scores, log_probabilities, n):
    """A list of triples for each sentence, sorted."""
    all_scores, all_rows, all_tokens = [], [], []
    row = 0
    for own in scores.tolist():
        triples = []
        for score in own:
            for token, log in enumerate(log_probabilities[row].tolist()):
                triples.append((score + log, row, token))
            row += 1
        triples.sort(key=lambda triple: triple[0], reverse=True)
        kept = triples[:n]
        all_scores.append([triple[0] for triple in kept])
        all_rows.append([triple[1] for triple in kept])
        all_tokens.append([triple[2] for triple in kept])
    return torch.tensor(all_scores), torch.tensor(all_rows), torch.tensor(all_tokens)


def split_candidates(totals, tokens, width, end=3):
    """A list of ranks for each sentence."""
    all_scores, all_places, all_finished = [], [], []
    for own, following in zip(totals.tolist(), tokens.tolist(), strict=True):
        ranks = range(len(own))
        finished = [r < width and following[r] == end and own[r] > -math.inf for r in ranks]
        going = [r for r in ranks if following[r] != end]
        going += [r for r in ranks if following[r] == end]
        kept = going[:width]
        all_scores.append([-math.inf if following[r] == end else own[r] for r in kept])
        all_places.append(kept)
        all_finished.append(finished)
    return torch.tensor(all_scores), torch.tensor(all_places), torch.tensor(all_finished)


def is_final(found, bound, width, n_best):
    if bound == -math.inf:
        return True
    if len(found) >= width:
        return True
    safe = 0
    for hypothesis in found:
        if hypothesis.score >= bound:
            safe += 1
    return safe >= n_best


def beam_search(
    step,
    state,
    n_sentences,
    width=5,
    length_penalty=0.6,
    max_length=100,
    n_best=1,
    start=2,
    end=3,
    device="cpu",
):
    """Beams of different sentences may differ in number; one step reads them all."""
    if not 1 <= n_best <= width:
        raise ValueError("n_best must be at least 1 and at most width")
    if length_penalty < 0:
        raise ValueError("length_penalty must not be negative")
    beams = {number: [([], 0.0)] for number in range(n_sentences)}
    ended = {number: [] for number in range(n_sentences)}
    highest = length_penalty_factor(max_length - 1, length_penalty)
    for length in range(max_length):
        if not beams:
            break
        prefixes = [[start, *tokens] for beam in beams.values() for tokens, _ in beam]
        logs, state = step(torch.tensor(prefixes, device=device), state)
        first, parents, following = 0, [], {}
        for number, beam in beams.items():
            candidates = []
            for place, (tokens, score) in enumerate(beam, start=first):
                for token, log in enumerate(logs[place].tolist()):
                    if log > -math.inf:
                        candidates.append((score + log, place, tokens, token))
            first += len(beam)
            candidates.sort(key=lambda candidate: candidate[0], reverse=True)
            for score, _, tokens, token in candidates[:width]:
                if token == end:
                    value = score / length_penalty_factor(length, length_penalty)
                    ended[number].append(Hypothesis(tokens, value, True))
            going = [c for c in candidates if c[3] != end][:width]
            if not going or len(ended[number]) >= width:
                continue
            values = sorted((h.score for h in ended[number]), reverse=True)
            if len(values) >= n_best and values[n_best - 1] >= going[0][0] / highest:
                continue
            following[number] = [([*tokens, token], score) for score, _, tokens, token in going]
            parents += [place for _, place, _, _ in going]
        beams = following
        if beams:
            state = reorder(state, torch.tensor(parents, device=device))
    results = []
    for number in range(n_sentences):
        found = sorted(ended[number], key=lambda h: h.score, reverse=True)
        for tokens, score in beams.get(number, []):
            value = score / length_penalty_factor(len(tokens), length_penalty)
            found.append(Hypothesis(tokens, value, False))
        results.append(found[:n_best])
    return results


def averaged(states):
    if not states:
        raise ValueError("give at least one state")
    result = {}
    for state in states:
        for name in state:
            for other in states:
                if name not in other:
                    raise ValueError(f"{name} is missing in some state")
    for name in states[0]:
        total = torch.zeros_like(states[0][name])
        for state in states:
            total = total + state[name].detach() / len(states)
        result[name] = total
    return result


def perplexity(model, batches, pad_id=0):
    """One list with the loss of every token."""
    training = model.training
    model.eval()
    losses = []
    with torch.no_grad():
        for source_ids, target_ids in batches:
            read, wanted = shift_targets(target_ids)
            logs = model(source_ids, read)[0].log_softmax(-1)
            for sentence, tokens in zip(logs, wanted.tolist(), strict=True):
                for log, token in zip(sentence, tokens, strict=True):
                    if token != pad_id:
                        losses.append(-float(log[token]))
    if training:
        model.train()
    if not losses:
        raise ValueError("no real token in any batch")
    return math.e ** (math.fsum(losses) / len(losses))


def bleu_by_hand(hypotheses, references, n=4):
    """Nested loops: every n-gram of a hypothesis crosses one of the reference's off a list."""
    logs = 0.0
    for order in range(1, n + 1):
        match, total = 0, 0
        for number in range(len(hypotheses)):
            hypothesis, left = hypotheses[number], []
            for i in range(len(references[number]) - order + 1):
                left.append(list(references[number][i : i + order]))
            for i in range(len(hypothesis) - order + 1):
                total += 1
                gram = list(hypothesis[i : i + order])
                if gram in left:
                    left.remove(gram)
                    match += 1
        if match == 0:
            return 0.0
        logs += math.log(match / total)
    made, wanted = 0, 0
    for number in range(len(hypotheses)):
        made += len(hypotheses[number])
        wanted += len(references[number])
    penalty = 1.0 if made >= wanted else math.exp(1 - wanted / made)
    return 100.0 * penalty * math.exp(logs / n)


def word_weights(weights, target_words, source_words):
    n_heads, n_target, n_source = weights.shape
    if n_target != len(target_words):
        raise ValueError(f"{n_target} target tokens, {len(target_words)} numbers of words")
    if n_source != len(source_words):
        raise ValueError(f"{n_source} source tokens, {len(source_words)} numbers of words")
    rows = []
    for target in range(max(target_words) + 1):
        own = [i for i in range(n_target) if target_words[i] == target]
        row = []
        for source in range(max(source_words) + 1):
            total = 0.0
            for head in range(n_heads):
                for i in own:
                    for j in range(n_source):
                        if source_words[j] == source:
                            total += float(weights[head, i, j])
            row.append(total / n_heads / len(own))
        rows.append(row)
    return np.array(rows)


def alignment_links(weights, share=0.5):
    links = set()
    for target, row in enumerate(weights.tolist()):
        best = max(row)
        for source, weight in enumerate(row):
            if best > 0 and weight >= share * best:
                links.add((source, target))
    return links


def plot_alignment(weights, source, target, ax=None):
    if list(weights.shape) != [len(target), len(source)]:
        raise ValueError(f"{weights.shape} does not fit {len(target)} × {len(source)} words")
    if ax is None:
        ax = plt.figure().add_subplot()
    picture = ax.matshow(weights, vmin=0.0, vmax=1.0, cmap="cividis")
    plt.colorbar(picture, ax=ax)
    ax.xaxis.tick_bottom()
    ax.set_xticks(list(range(len(source))))
    ax.set_yticks(list(range(len(target))))
    ax.set_xticklabels(source, rotation=90)
    ax.set_yticklabels(target)
    ax.set_title("Which word came from which")
    ax.set_xlabel("source")
    ax.set_ylabel("target")
    return ax


def error_signs(source, hypothesis, reference, counts, rare=5):
    """Words are crossed off copies of the lists."""
    dropped, added = list(reference), []
    for word in hypothesis:
        if word in dropped:
            dropped.remove(word)
        else:
            added.append(word)
    repeated, seldom = [], []
    for i in range(1, len(hypothesis)):
        if hypothesis[i] == hypothesis[i - 1] and hypothesis[i] not in repeated:
            repeated.append(hypothesis[i])
    for word in source:
        known = word in counts and counts[word] >= rare
        if not known and word not in seldom:
            seldom.append(word)
    for words in (dropped, added, repeated, seldom):
        words.sort()
    return {"rare": seldom, "repeated": repeated, "added": added, "dropped": dropped}


def width_study(translate, references, widths, length_penalties, samples=1000):
    if any(width == 1 for width in widths):
        raise ValueError("the row of width 1 is there already")
    settings = [(1, 0.0)]
    for width in widths:
        for penalty in length_penalties:
            settings.append((width, penalty))
    greedy_text, rows = None, []
    for width, penalty in settings:
        before = time.time()
        text = translate(width, penalty)
        seconds = max(time.time() - before, 1e-9)
        if greedy_text is None:
            greedy_text = text
        result = paired_bootstrap(text, greedy_text, references, samples=samples)
        row = {}
        row["width"] = width
        row["length_penalty"] = penalty
        row["bleu"] = result.first
        row["difference"] = result.difference
        row["low"] = result.interval[0]
        row["high"] = result.interval[1]
        row["sentences_per_second"] = len(references) / seconds
        rows.append(row)
    return rows


def sampling_distribution(log_probabilities, temperature=1.0, top_k=None, top_p=None):
    """Row by row: a list of tokens, the most likely first, that is cut twice."""
    if temperature <= 0 or (top_k is not None and top_k < 1):
        raise ValueError("temperature must be above 0 and top_k at least 1")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p must be above 0 and at most 1")
    result = torch.zeros_like(log_probabilities)
    for number, row in enumerate(log_probabilities.tolist()):
        top = max(row)
        shares = [math.exp((log - top) / temperature) for log in row]
        tokens = sorted(range(len(row)), key=lambda token: -shares[token])  # noqa: B023
        if top_k is not None:
            tokens = tokens[:top_k]
        if top_p is not None:
            whole = sum(shares[token] for token in tokens)
            kept, reached = [], 0.0
            for token in tokens:
                kept.append(token)
                reached += shares[token] / whole
                if reached >= top_p:
                    break
            tokens = kept
        whole = sum(shares[token] for token in tokens)
        for token in tokens:
            result[number, token] = shares[token] / whole
    return result


def sample(
    step,
    state,
    n_rows,
    max_length,
    temperature=1.0,
    top_k=None,
    top_p=None,
    generator=None,
    start=2,
    end=3,
    device="cpu",
):
    """A number between 0 and 1 for each row, and the token at which the shares reach it."""

    def pick(log_probabilities):
        shares = sampling_distribution(log_probabilities, temperature, top_k, top_p)
        drawn = torch.rand(len(shares), 1, generator=generator, device=shares.device)
        reached = shares.double().cumsum(1)
        tokens = (reached <= drawn * reached[:, -1:]).sum(1)
        last = (shares > 0).long().cumsum(1).argmax(1)
        return torch.minimum(tokens, last)

    return greedy(step, state, n_rows, max_length, start=start, end=end, choose=pick, device=device)
