"""The glossary: each term once, however it is spelled."""

from __future__ import annotations

from trexreport.wording.glossary import GLOSSARY


def test_each_spelling_leads_to_one_term():
    spellings = [each.lower() for term, others, _ in GLOSSARY for each in (term, *others)]
    assert sorted(set(spellings)) == sorted(spellings)
    assert {"kgen", "gemm", "nc/32hw32", "tactic", "fusion"} <= set(spellings)


def test_terms_are_in_order_and_meanings_are_sentences():
    terms = [term.lower() for term, _, _ in GLOSSARY]
    assert terms == sorted(terms)
    assert [meaning for _, _, meaning in GLOSSARY if not meaning.endswith(".") or "  " in meaning] == []
