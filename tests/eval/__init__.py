"""The evaluation: questions about the sample Drive with known answers and sources, asked of any model."""
