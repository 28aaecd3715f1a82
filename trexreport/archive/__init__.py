"""Keep a capture, its report and optionally its engine in one file with hashes (.trexa)."""

from trexreport.archive.extract import extract_archive
from trexreport.archive.verify import Verification, verify
from trexreport.archive.write import ArchiveContents, write_archive

__all__ = ["ArchiveContents", "Verification", "extract_archive", "verify", "write_archive"]
