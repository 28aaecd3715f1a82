"""Blocks of layers: `divide` makes a tree of an engine and names what repeats in it."""

from trexreport.analyzer.blocks.division import divide

__all__ = ["divide"]
