"""The embedded model's tokenizer: byte-level BPE in which every digit is a token of its own."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from blockbatch.tasks import FAMILIES, examples
from blockbatch.tasks.word_problems import NAMES
from blockbatch.training.chat import ASSISTANT, CHAT_TEMPLATE, EOS, MASK, USER

_EXAMPLES_A_FAMILY = 4_000
_REPEATED_NAMES = 2_000


def build_tokenizer(vocabulary: int, seed: int) -> PreTrainedTokenizerFast:
    """A tokenizer of `vocabulary` pieces, trained on generated training examples; the same for the same seed."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=[MASK, EOS, USER, ASSISTANT], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    tokenizer.train_from_iterator(_texts(seed), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, mask_token=MASK, eos_token=EOS, pad_token=EOS,
        additional_special_tokens=[USER, ASSISTANT], chat_template=CHAT_TEMPLATE,
        clean_up_tokenization_spaces=False, model_max_length=1024,
    )  # fmt: skip


def _texts(seed: int) -> Iterator[str]:
    """Training text: examples, and every name often enough to become one piece, at the start and after a space."""
    yield from [f"{name} {name}" for name, _ in NAMES] * _REPEATED_NAMES
    for family in FAMILIES:
        for example in islice(examples(family, "train", seed), _EXAMPLES_A_FAMILY):
            yield example.prompt
            yield example.answer


def copied_tokens(tokenizer: PreTrainedTokenizerFast) -> NDArray[np.bool_]:
    """Which tokens [vocabulary] are digits or people's names: those that must be copied or computed."""
    pieces = {*"0123456789", *(f" {name}" for name, _ in NAMES), *(name for name, _ in NAMES)}
    return np.array([tokenizer.decode([token]) in pieces for token in range(len(tokenizer))])


def worded_tokens(tokenizer: PreTrainedTokenizerFast) -> NDArray[np.bool_]:
    """Which tokens [vocabulary] hold a letter or a digit, not only spaces and signs."""
    return np.array([any(map(str.isalnum, tokenizer.decode([token]))) for token in range(len(tokenizer))])
