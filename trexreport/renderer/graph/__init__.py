"""The graph of an engine: its content, its layout and its drawing."""
