"""Turn a comparison of engines into documents."""
