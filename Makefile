# What each command does is in environment/course.py; here are their names.
# PYTHON: the Python that makes the virtual environment. ARGS: further arguments, see below.
PYTHON ?= python3
ARGS ?=
COURSE := "$(PYTHON)" environment/course.py

.PHONY: course outputs lab release grade classroom hub test test-classroom mutants golden bench doctor clean help python

course: python
	@$(COURSE) build

outputs: python
	@$(COURSE) outputs $(ARGS)

lab: python
	@$(COURSE) lab $(ARGS)

release: python
	@$(COURSE) release

grade: python
	@$(COURSE) grade

classroom: python
	@$(COURSE) classroom $(ARGS)

hub: python
	@$(COURSE) hub $(ARGS)

test: python
	@$(COURSE) test $(ARGS)

test-classroom: python
	@$(COURSE) test-classroom $(ARGS)

mutants: python
	@$(COURSE) mutants $(ARGS)

golden: python
	@$(COURSE) golden $(ARGS)

bench: python
	@$(COURSE) bench $(ARGS)

doctor: python
	@$(COURSE) doctor

clean:
	rm -rf build lib/target environment/node_modules environment/hub/node_modules
	find environment -name __pycache__ -prune -exec rm -rf {} +

help:
	@echo 'make           runs every chapter that has changed and builds the website: build/site/index.html'
	@echo 'make lab       opens the notebooks in JupyterLab           (ARGS="--no-browser --port 9000")'
	@echo 'make test      tests the library, the notebooks and the site            (ARGS="-k dialect")'
	@echo 'make release   for teachers: makes the student versions of the assignments: build/classroom/release'
	@echo 'make grade     for teachers: grades submissions and writes feedback   (SUBMITTED=FOLDER, JOBS=, DB=, SHARD=, SEED=)'
	@echo 'make classroom for teachers: opens JupyterLab with the gradebook'
	@echo 'make hub       for teachers: JupyterHub with a teacher and students on this machine     (ARGS="--students ada emmy")'
	@echo 'make doctor    shows which tools were found, and how to mend what is wrong'
	@echo 'make test-classroom   the long tests of the grading: hundreds of submissions, PostgreSQL, a hub'
	@echo 'make outputs   for authors: writes the new outputs into notebooks/       (ARGS=--redraw)'
	@echo '                ARGS=--times runs all chapters, one at a time, and writes notebooks/data/timings.csv, which the site shows'
	@echo 'make mutants   for authors: changes the library in thousands of places, and counts what its tests notice'
	@echo 'make golden    for authors: computes the golden data anew with PyTorch, and compares it   (ARGS=--write)'
	@echo 'make bench     for authors: times the library, NumPy and PyTorch, and writes lib/BENCHMARKS.md'
	@echo 'make clean     deletes all that was built'

GET_PYTHON := install it (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python), or name another: make PYTHON=/path/to/python3

python:
	@command -v "$(PYTHON)" >/dev/null || { echo 'Python: 3.11 or newer is needed, but there is no $(PYTHON); $(GET_PYTHON)' >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python: 3.11 or newer is needed, but $(PYTHON) is $$("$(PYTHON)" --version 2>&1); $(GET_PYTHON)" >&2; exit 1; }
