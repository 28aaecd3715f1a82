"""Charts: one neutral description, from which static SVG and Plotly figures are made."""
