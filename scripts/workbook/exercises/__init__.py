"""Exercises: pieces that are cut out of the reference, and how far a student is with them."""
