"""What the tests of the notebooks share: the course's own tools, and altered copies of the chapters, run side by side.

The tests expect what `make` leaves in build/; `make test` makes it first.
"""
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import execute as execution  # noqa: E402
from copies import Copy  # noqa: E402
from course import NOTEBOOKS  # noqa: E402


@pytest.fixture(scope="session")
def run(request):
    """run(copy) gives the executed notebook of an altered copy (see copies.py), or raises what execute() raised.

    The first call starts the copies of all selected tests, as many at a time as there are processors.
    """
    parameters = [getattr(item, "callspec", None) for item in request.session.items]
    wanted = [one.params["copy"] for one in parameters if one and isinstance(one.params.get("copy"), Copy)]
    pool = ThreadPoolExecutor(os.cpu_count() or 1)
    running = {copy: pool.submit(lambda copy=copy: execution.execute(
        copy.notebook(), NOTEBOOKS, allow_errors=copy.goes_on())) for copy in wanted}
    yield lambda copy: running[copy].result()
    pool.shutdown(wait=False, cancel_futures=True)
    execution.stop_all()
