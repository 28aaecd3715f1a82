"""Run the command line as `python -m trexreport`."""

from trexreport.cli import main

if __name__ == "__main__":
    main()
