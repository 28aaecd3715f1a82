"""The parts of `EnginePlan`, the Python interface that users of TREx move to."""
