"""in-container stand-ins for the outside world (shipped into images)."""
