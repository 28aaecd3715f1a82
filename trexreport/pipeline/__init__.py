"""The way from inputs and settings to bytes: read, analyze, describe, render.

Commands, the Python API, the site's jobs, mails, archives and budget checks are callers of this package.
`settings.py` makes the one value without which nothing here analyzes an engine, so that no caller can forget
the configuration.
"""
