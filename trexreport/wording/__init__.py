"""Sentences and labels that state the analyzer's facts: one place for the language of every output.

A module is named after what it describes. Rules keep their texts beside their checks (`analyzer/rules`), and
the reader its notes.
"""
