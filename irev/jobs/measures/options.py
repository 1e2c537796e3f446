"""Where measures come from, beside irev's own."""

from collections.abc import Sequence
from typing import Annotated

from irev.core.option_records import ResultOptions
from irev.options import PLUGINS


class MeasureListOptions(ResultOptions):
    """The measures of your own."""

    plugins: Annotated[Sequence[str], PLUGINS] = ()
    """Modules and files of Python with measures of your own."""
