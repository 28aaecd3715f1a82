"""What assistants can ask of the captures below a few folders, and the server that they ask."""
