"""Run the command line as `python -m trexreport`."""

from trexreport.cli import run_program

if __name__ == "__main__":
    run_program()
