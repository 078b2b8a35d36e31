"""Every query of the directory. What a caller may not see is not found."""
