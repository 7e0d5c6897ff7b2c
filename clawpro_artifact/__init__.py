"""clawpro-artifact: evaluation results of AI agents that a stranger can check."""

__version__ = "0.1.0"
