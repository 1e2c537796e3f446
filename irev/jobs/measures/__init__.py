"""What there is to say of measures: lists of them, and a page for each."""
