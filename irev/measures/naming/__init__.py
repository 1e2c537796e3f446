"""Names of measures: how they are written, and which measure a written name asks for."""
