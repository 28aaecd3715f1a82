"""Estimate how many tokens a language model reads a text as, without the tokenizer of any.

The estimate is meant to be an upper bound, since a text that is cut by its reader is worse than a shorter
one. It was fitted to six tokenizers (cl100k and o200k of OpenAI, those of Claude 2, Llama 2, Llama 3 and
Mistral) on summaries of real engines, their layer names and random texts: docs/decisions/0023-assistants.md
has the figures. What makes names expensive is counted as by the most expensive of them: each digit and each
sign is a token, and so is each byte beyond ASCII. Letters cost less the more they look like English.
"""

from __future__ import annotations

import math
import re

from trexreport.regex import regex

_PIECE = regex(r"([a-z]+)|([A-Z]+)|( +)|([^\x00-\x7f]+)|[\x00-\x7f]")
#: Frequent pairs of letters in English words: what vocabularies have long tokens of.
_FREQUENT_PAIRS = frozenset(
    re.findall(
        r"\w\w",
        "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me "
        "de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ay la ye ut tr ct ta el ns ge sh ac ca ot ol em "
        "no mp ss us pe po op tp pu um ad im ul id il un ai ee oo ig ir iv av am ke ze qu iz za ei et ec ex "
        "ag ep ew wa wh pr fo rm ly gh ie do di so ob ab ap od ow ev up og sp pl rd ts ",
    )
)
#: Tokens for each lower-case letter, for each rare pair of them, and for each capital.
_LETTER, _RARE_PAIR, _CAPITAL = 0.3, 0.6, 0.9
#: Some tokenizers put a token before every text.
_START = 1


def estimate_tokens(text: str) -> int:
    """Return an estimate of the tokens of a text that is rather too high than too low."""
    return _START + sum(map(_cost, _PIECE.finditer(text)))


def _cost(found: re.Match[str]) -> int:
    """Return the tokens of a run of letters or spaces, or of another character."""
    lower, capitals, spaces, others = found.groups()
    if lower:
        rare = sum(lower[at : at + 2] not in _FREQUENT_PAIRS for at in range(len(lower) - 1))
        return math.ceil(_LETTER * len(lower) + _RARE_PAIR * rare)
    if capitals:
        return math.ceil(_CAPITAL * len(capitals))
    if spaces:
        # A space before a word is a part of its token.
        is_before_word = found.end() < len(found.string) and found.string[found.end()].isalpha()
        return len(spaces) - is_before_word
    # A lone surrogate, which no file can hold, counts as what replaces it.
    return len(others.encode("utf-8", "replace")) if others else 1
