"""Build a mail and send it."""
