"""recorded results -> numbers; pure standard library, copied verbatim into every bundle."""
