"""Zones by region."""

ZONES = {"north": 1, "south": 2, "islands": 4, "overseas": 7, "border": 3}
