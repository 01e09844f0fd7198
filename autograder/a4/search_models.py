"""A table-driven model for searches that logs every step it is asked for.

This file's text also runs on the student's side: see `searching.py`.
"""

import torch


class Remembered:
    """A search state: the sentence of each row, and the tokens read so far.

    Every call of `reorder` appends its rows to `orders`.
    """

    def __init__(self, sentences, tokens, orders):
        self.sentences, self.tokens, self.orders = sentences, tokens, orders

    def reorder(self, rows):
        """The state whose row i is row `rows[i]` of this one."""
        self.orders.append(torch.as_tensor(rows).tolist())
        return Remembered(self.sentences[rows], self.tokens[rows], self.orders)


class TableModel:
    """Log probabilities of the next token, by sentence and prefix.

    `table` (rows, vocab_size) holds log probabilities; which row is meant, sentence and prefix
    decide. `by_hand` maps prefixes, "2 4 5", to probabilities and goes before the table. `log`
    keeps what each step was asked: its sentences and its prefixes. `strays` keeps every row whose
    state belongs to another prefix, `orders` how its states were reordered.
    """

    def __init__(self, table, by_hand=None):
        self.table = table
        self.by_hand = {
            tuple(map(int, prefix.split())): torch.tensor(row).log()
            for prefix, row in (by_hand or {}).items()
        }
        self.log, self.strays, self.orders = [], [], []

    def start(self, sentences):
        """The state before the first step, one row per given sentence."""
        rows = torch.tensor(sentences)
        return Remembered(rows, torch.empty(len(rows), 0, dtype=torch.long), self.orders)

    def following(self, sentence, prefix):
        """Log probabilities of the token after one prefix, which begins with the start token."""
        if tuple(prefix) in self.by_hand:
            return self.by_hand[tuple(prefix)]
        place = sentence
        for token in prefix:
            place = (31 * place + token + 1) % len(self.table)
        return self.table[place]

    def step(self, prefixes, state):
        """The step of a search. Without a state, every row belongs to sentence 0."""
        prefixes = prefixes.tolist()
        sentences = [0] * len(prefixes)
        if state is not None:
            sentences = self.owners(prefixes, state)
            state = Remembered(torch.tensor(sentences), torch.tensor(prefixes), self.orders)
        self.log.append([sentences, prefixes])
        found = [self.following(s, prefix) for s, prefix in zip(sentences, prefixes, strict=True)]
        return torch.stack(found) if found else self.table[:0], state

    def owners(self, prefixes, state):
        """The sentence of each row; logs rows whose state belongs to another prefix."""
        known = list(zip(state.sentences.tolist(), state.tokens.tolist(), strict=True))
        if len(known) != len(prefixes):
            self.strays.append([len(known), len(prefixes)])
        known += [(0, [])] * len(prefixes)  # a state with too few rows
        for (_, read), prefix in zip(known, prefixes, strict=False):
            if read != prefix[:-1]:
                self.strays.append([read, prefix])
        return [sentence for sentence, _ in known[: len(prefixes)]]
