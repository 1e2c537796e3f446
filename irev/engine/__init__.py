"""The whole way: runs and judgments in, scores out."""
