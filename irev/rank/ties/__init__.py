"""Several orders of tied documents: expectation and range.

`tie_orders` lists or draws the orders, `expectation` means measures over them, `several_orders`
adds what the best and the worst order give and counts the ties. It knows `core`, the rest of
`rank`, `measures` and `options`; neither of the rooms that it stands on knows it.
"""
