"""The graph of an engine: what is drawn, where it stands, and the drawing."""
