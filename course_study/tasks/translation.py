"""The task of a study that translates: quality is BLEU, with its signature."""

import math
from collections.abc import Callable
from dataclasses import asdict, replace

from torch import Tensor

from course_lib.data.datasets import LoadedData
from course_lib.data.pair_batching import PairBuckets
from course_lib.data.tokenization import TextTokenizer
from course_lib.decoding.translator import Translator
from course_lib.evaluation.perplexity import perplexity
from course_lib.evaluation.translation import bleu
from course_lib.fast.forms import fast_model
from course_lib.recipes.profiles import scale_words
from course_lib.training.translation_loss import translation_loss
from course_lib.transformer import Transformer

from ..profiles import StudyProfile
from ..space import SINUSOIDAL, Configuration
from .task import Task


class TranslationTask(Task):
    """`Transformer` on the pairs of `data`, with the budget of `settings`; greedy decoding."""

    loss = staticmethod(translation_loss)

    def __init__(self, settings: StudyProfile, data: LoadedData, device: str = "cpu") -> None:
        super().__init__(settings, data, device)
        self.tokenizer = TextTokenizer.train(
            [*self.train["en"], *self.train["fr"]],
            kind="bpe",
            vocab_size=settings.vocab_size,
            min_frequency=settings.min_frequency,
            lowercase=False,
            reversible=True,
        )
        encode = self.tokenizer.encode
        self.sides = encode(self.train["en"]), encode(self.train["fr"])
        self.measure = f"BLEU of greedy translations, {bleu(['a'], ['a']).signature}"

    def model(self, configuration: Configuration) -> Transformer:
        if configuration.get("positions", SINUSOIDAL) != SINUSOIDAL:
            raise ValueError("the translator has sinusoidal positions: leave `positions` out")
        sizes = {name: configuration[name] for name in ("n_heads", "n_layers", "dropout")}
        config = replace(self.settings.model, **sizes)
        model = fast_model(Transformer, self.tokenizer.vocab_size, **asdict(config))
        scale_words(model, self.settings)
        return model.to(self.device)

    def batches(self, seed: int) -> PairBuckets:
        return PairBuckets(*self.sides, self.settings.max_tokens, seed)

    def n_tokens(self, batch: list[Tensor]) -> int:
        return sum(int((ids != 0).sum()) for ids in batch)

    def inferring(self, model: Transformer) -> Callable[[], object]:
        texts = self.data["validation"][:]["en"]
        return lambda: Translator(model, self.tokenizer).translate(texts, width=1)

    def measured(self, model: Transformer, split: str) -> dict[str, float]:
        """BLEU, 0 to 100, and the mean cross-entropy of a token in nats, not smoothed."""
        pairs = self.data[split][:]
        source_ids, target_ids = map(self.tokenizer.encode, (pairs["en"], pairs["fr"]))
        batches = PairBuckets(source_ids, target_ids, self.settings.max_tokens)
        on_device = ((s.to(self.device), t.to(self.device)) for s, t in batches)
        loss = math.log(perplexity(model, on_device))
        translations = Translator(model, self.tokenizer).translate(pairs["en"], width=1)
        return {"quality": bleu(translations, pairs["fr"]).value, "loss": loss}
