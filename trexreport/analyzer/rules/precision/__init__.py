"""Rules on precisions: requested, used, and what computes in FP32.

TRX401 reports FP32 layers where a lower precision was requested and is used somewhere, TRX402 or TRX404
where none is used at all. Where none was requested TRX405 does, and TRX403 if TF32 could help, too.
"""
