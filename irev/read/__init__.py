"""From bytes, tables and mappings to columns; no module here knows a measure."""
