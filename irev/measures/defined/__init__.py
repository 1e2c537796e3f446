"""Measures with named options, one module for each family; imported only where one is asked for."""
