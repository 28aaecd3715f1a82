"""Replace names, paths and what identifies a machine by pseudonyms, in the files of a capture.

That is done before anything is read of them: whatever is made of the capture, and the inputs that a report
carries, can hold only what is left. Texts are taken apart into words. Those of TensorRT, trtexec, ONNX and
kernels stay (`words.txt`), and so do numbers and everything between words; every other word
becomes a pseudonym that depends on nothing but the word and the key. So layers of two redacted captures still
align: equal names stay equal, spellings with other separators stay spellings of one name, and operators stay
what they are.
"""
