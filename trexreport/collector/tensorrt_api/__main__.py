"""Run the program: `python -m trexreport.collector.tensorrt_api --onnx=model.onnx …`."""

import sys

from trexreport.collector.tensorrt_api.program import main

if __name__ == "__main__":
    # Python looks into the current folder first, where a user's own tensorrt.py or cuda may lie.
    sys.path.append(sys.path.pop(0))
    sys.exit(main(sys.argv[1:]))
