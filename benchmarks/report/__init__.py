"""What the rows of the benchmark say, in words, tables and pictures."""
