"""Estimates the cost of a training run: a small model of its time and memory.

    time   = 6 N D / (peak × utilisation) + steps × layers × overhead
    memory = 20 bytes × parameters + activations

A forward pass multiplies and adds once for each of N weights and D tokens, 2 N D operations, and
the backward pass takes twice that; the matrix of words only counts where a word is predicted.
`overhead` is what a layer costs beside its arithmetic, however small it is: on a GPU, starting its
kernels. A parameter has a gradient, two moments of Adam and an average, 4 bytes each. Attention's
products are left out: for sentences, they are a few percent.
"""

from dataclasses import dataclass

from course_lib.config import TransformerConfig

UTILISATION = 0.4  # assumed: what well-shaped trainings reach on one GPU
PARAMETER_BYTES, NUMBER_BYTES = 20, 4


@dataclass(frozen=True)
class Machine:
    """A machine by its operations in a second, as its vendor states them, and its overhead."""

    peak: float  # in the precision that the profile trains in
    utilisation: float = UTILISATION
    overhead: float = 0.0  # seconds a step and layer


@dataclass(frozen=True)
class Training:
    """A training by what it multiplies; encoders and decoders read different tokens."""

    config: TransformerConfig
    vocab_size: int
    encoder_tokens: float  # of the whole training
    decoder_tokens: float
    predicted_tokens: float  # those whose word is predicted
    steps: float
    cross_attention: bool  # decoder layers have one
    batch_tokens: int  # of one step, per side

    @property
    def encoder_layers(self) -> int:
        return self.config.n_layers if self.encoder_tokens else 0

    @property
    def decoder_layers(self) -> int:
        return self.config.n_layers if self.decoder_tokens else 0

    @property
    def operations(self) -> float:
        """6 N D."""
        words = self.vocab_size * self.config.d_model
        encoder = self.encoder_layers * self._layer(attentions=1)
        decoder = self.decoder_layers * self._layer(1 + self.cross_attention)
        layers = encoder * self.encoder_tokens + decoder * self.decoder_tokens
        return 6 * (layers + words * self.predicted_tokens)

    @property
    def parameters(self) -> float:
        """Matrices only: biases and norms are less than a percent."""
        words = self.vocab_size * self.config.d_model
        layers = self.encoder_layers * self._layer(1)
        return words + layers + self.decoder_layers * self._layer(1 + self.cross_attention)

    def seconds(self, on: Machine) -> float:
        layers = self.encoder_layers + self.decoder_layers
        return self.operations / (on.peak * on.utilisation) + self.steps * layers * on.overhead

    def bytes(self, words: int, logits: bool) -> float:
        """The memory of a step on sentences of so many words.

        With `logits`, the loss makes them all at once, and their logarithms.
        """
        encoder = self.encoder_layers * self._saved_numbers(1, words)
        decoder = self.decoder_layers * self._saved_numbers(1 + self.cross_attention, words)
        kept = NUMBER_BYTES * self.batch_tokens * (encoder + decoder)
        predicted = self.predicted_tokens / (self.decoder_tokens or self.encoder_tokens)
        made = NUMBER_BYTES * self.batch_tokens * predicted * 2 * self.vocab_size if logits else 0
        return PARAMETER_BYTES * self.parameters + kept + made

    def _layer(self, attentions: int) -> int:
        d_model, d_ff = self.config.d_model, self.config.d_ff
        return attentions * 4 * d_model**2 + 2 * d_model * d_ff

    def _saved_numbers(self, attentions: int, words: int) -> int:
        """Numbers that a layer keeps of a token for the backward pass.

        An attention keeps its input, queries, keys, values, the heads' output, and for each head a
        row of weights; a sub-layer, a factor of dropout and the sum that its norm reads. Weights
        with dropout are kept three times: before it, its factors, and after it.
        """
        d_model, d_ff, heads = self.config.d_model, self.config.d_ff, self.config.n_heads
        dropout = 1 if self.config.dropout else 0
        of_weights = (1 + 2 * dropout) * heads * words
        sub_layers = (attentions + 1) * (1 + dropout) * d_model
        return attentions * (5 * d_model + of_weights) + d_model + d_ff + sub_layers


def overhead(training: Training, seconds: float, peak: float) -> float:
    """Seconds a step and layer that a measured training had beside its arithmetic, at least 0."""
    layers = training.encoder_layers + training.decoder_layers
    rest = seconds - training.seconds(Machine(peak))
    return max(0.0, rest / (training.steps * layers))
