"""Excel workbooks of engines and of comparisons: tables whose texts are never formulas, and charts."""

from trexreport.renderer.workbook.comparison import comparison_workbook
from trexreport.renderer.workbook.engine import write_phases_workbook, write_workbook

__all__ = ["comparison_workbook", "write_phases_workbook", "write_workbook"]
