"""Sentences and labels that state the analyzer's facts: one place for the language of every output."""
