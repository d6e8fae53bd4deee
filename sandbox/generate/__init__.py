"""A Drive of realistic files in five languages, the same for the same seed, with questions whose answers are known."""
