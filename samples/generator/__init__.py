"""Make synthetic captures: what trtexec would write for engines that nobody built."""
