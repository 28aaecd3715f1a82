"""The timeline of an engine: its streams over the time, as a drawing and as a trace."""
