"""Short documents: one model, and writers for Markdown, terminals, mail programs (HTML) and plain text."""
