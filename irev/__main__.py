"""`python -m irev` is `irev`."""

from irev.cli import main

main()
