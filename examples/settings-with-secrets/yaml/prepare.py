"""Prepares images before the pipeline reads them."""

MIN_SIDE = 256


def keep(width: int, height: int) -> bool:
    return min(width, height) >= MIN_SIDE
