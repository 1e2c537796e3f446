"""The kinds of `irev plot`, a file each."""
