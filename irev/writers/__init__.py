"""What commands print.

A command gives a `document`, and `forms` writes it in every form. What is no table has a writer of
its own: trec_eval's text (`trec`), TREC's summary sheets (`sheet`).
"""
