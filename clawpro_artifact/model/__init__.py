"""frozen values that flow between stages."""
