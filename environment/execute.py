"""Runs a notebook in the course's kernel, with nothing in the result that differs between two runs."""
import copy
import os
import signal
import sys
import threading
from pathlib import Path

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient

KERNELS = Path(__file__).resolve().parent.parent / "build" / "venv" / "share" / "jupyter" / "kernels"
CELL_SECONDS = 300  # longer than any cell of the course by far: a cell that hangs is an error, not a wait
METADATA = {
    "kernelspec": {"display_name": "Java", "language": "java", "name": "java"},
    "language_info": {"file_extension": ".jshell", "mimetype": "text/x-java-source", "name": "java"},
}

_running, _lock = set(), threading.Lock()


class _Client(NotebookClient):
    """Takes the kernel from KERNELS and nowhere else: a user's own kernel of the name java must not win."""

    def create_kernel_manager(self):
        manager = super().create_kernel_manager()
        manager.kernel_spec_manager = KernelSpecManager(kernel_dirs=[str(KERNELS)], ensure_native_kernel=False)
        return manager

    async def async_start_new_kernel(self, **options):
        ours, theirs = os.pipe()
        threading.Thread(target=_pass_on, args=(ours,), daemon=True).start()
        try:
            await super().async_start_new_kernel(stderr=theirs, **options)
        finally:
            os.close(theirs)
        with _lock:
            _running.add(self.km.provisioner.pid)

    async def _async_cleanup_kernel(self):
        pid = self.km.provisioner.pid if self.km and self.km.provisioner else None
        await super()._async_cleanup_kernel()
        with _lock:
            _running.discard(pid)


def _pass_on(source):
    """Copies a kernel's stderr to ours, less a line with which every JVM begins that can compute with vectors."""
    with open(source, errors="replace") as lines:
        for line in lines:
            if line != "WARNING: Using incubator modules: jdk.incubator.vector\n":
                sys.stderr.write(line)


def stop_all() -> None:
    """Kills every kernel that execute() has running, in whatever thread: for a program that is interrupted."""
    with _lock:
        for pid in _running:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def execute(nb, cwd: Path, allow_errors: bool = False, on_cell=None) -> nbformat.NotebookNode:
    """A copy of the notebook with the outputs of a fresh run, in which cwd is the kernel's working directory.

    on_cell(done, total) is called before each code cell, and once at the end. Neighbouring pieces of one
    stream are joined; times and the kernel's version are left out. The first failing cell raises
    nbclient.exceptions.CellExecutionError, unless allow_errors is set or the cell has the tag raises-exception.
    Whatever is raised carries the notebook with the outputs so far as its attribute `notebook`.
    """
    nb = copy.deepcopy(nb)
    code = [index for index, cell in enumerate(nb.cells) if cell.cell_type == "code"]
    for index in code:
        nb.cells[index].outputs, nb.cells[index].execution_count = [], None
    client = _Client(nb, kernel_name="java", resources={"metadata": {"path": str(cwd)}}, allow_errors=allow_errors,
                     coalesce_streams=True, record_timing=False, store_widget_state=False,
                     timeout=CELL_SECONDS, startup_timeout=180, shutdown_kernel="immediate")
    if on_cell:
        client.on_cell_start = lambda cell, cell_index: on_cell(
            code.index(cell_index), len(code)) if cell.cell_type == "code" else None
    try:
        client.execute()
    except Exception as error:
        error.notebook = nb
        raise
    if on_cell:
        on_cell(len(code), len(code))
    nb.metadata = nbformat.from_dict(METADATA)
    return nb
