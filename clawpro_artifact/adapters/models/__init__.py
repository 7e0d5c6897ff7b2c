"""who answers a model request: scripted, replay, embedded, endpoint."""
