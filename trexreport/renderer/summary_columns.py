"""What the tables of a summary have in common."""

from __future__ import annotations

from trexreport.renderer.short_document.document import Column
from trexreport.wording.shares import percent

#: Rows of a table of groups, providers, nodes or tensors.
MAX_GROUPS = 8
SHARE = Column("Time (%)", percent, is_summed=True, has_bar=True)
