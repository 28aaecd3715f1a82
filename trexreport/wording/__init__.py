"""Turn facts into sentences, for every output: the one place where the product's language is written.

A module is named after what it describes. Rules keep their texts beside their checks (`analyzer/rules`), and
the reader its notes.
"""
