"""Make one static site of many captures and reports: an index, a page of each engine, their history."""
