"""Rules on reformats: layers that change the type or the layout of a tensor and compute nothing.

Each reformat counts for one rule only, the most specific; `reformat_places` assigns them. TRX205 sums up all.
"""
