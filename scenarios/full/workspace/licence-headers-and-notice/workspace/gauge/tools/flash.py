#!/usr/bin/env python3
"""Flash a probe."""

print("flash")
