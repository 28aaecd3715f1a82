"""Make a capture: know what each version of trtexec takes, and write the commands that build and measure."""
