"""Join what is known of an engine's accuracy with its layers, and find the layers that cause errors."""

from trexreport.analyzer.accuracy.describe import describe_accuracy

__all__ = ["describe_accuracy"]
