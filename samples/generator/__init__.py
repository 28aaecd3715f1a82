"""Make synthetic captures: what trtexec would write for engines that were never built."""
