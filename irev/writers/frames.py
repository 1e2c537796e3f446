"""The tables of a document as pandas frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from irev.writers.document import Document


def frames(document: Document) -> dict[str, pd.DataFrame]:
    """The records of a document by name: a row for each, in full precision."""
    import pandas as pd

    return {
        records.name: pd.DataFrame(list(map(list, records.rows)), columns=list(records.fields))
        for records in document.records
    }
