"""Turn an `Analysis` into bytes: HTML, SVG, DOT, JSON, tables, text for the terminal."""
