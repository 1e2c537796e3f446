"""The kinds of `irev study`, a thin file each."""
