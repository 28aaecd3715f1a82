"""Run the program: `python -m trexreport.collector.tensorrt_api --onnx=model.onnx …`."""

import sys

from trexreport.collector.tensorrt_api.program import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
