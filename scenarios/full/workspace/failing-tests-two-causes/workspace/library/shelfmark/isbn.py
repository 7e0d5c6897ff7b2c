"""ISBN-10 and ISBN-13."""


def check_digit_10(first_nine):
    """The check digit of an ISBN-10."""
    total = sum((10 - i) * int(d) for i, d in enumerate(first_nine))
    return str((11 - total % 11) % 11)
