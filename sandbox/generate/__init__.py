"""Generates a Drive of realistic files in five languages, with questions and answers. A seed always gives the same."""
