"""one file per runtime family: how a turn is asked for and what it leaves behind."""
