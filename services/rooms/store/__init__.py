"""Every query of rooms."""
