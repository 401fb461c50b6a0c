"""The hub. `make test-classroom` plays one assignment's round on it in a browser: release, fetch, work, submit, collect, grade, feedback."""
import csv
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading

import browser
import pytest
import yaml
from course import BUILD, HERE, NOTEBOOKS, ROOT
from playwright.sync_api import sync_playwright

COURSE = [sys.executable, str(HERE / "course.py")]
ASSIGNMENT, STUDENT = "1-softmax", "ada"
FILE = "%s/%s.ipynb" % (ASSIGNMENT, ASSIGNMENT)


def test_a_students_container_has_no_solutions():
    stages = re.split(r"^(?=FROM )", (HERE / "hub" / "Containerfile").read_text(), flags=re.M)
    students = stages[-1]
    assert students.startswith("FROM system AS student") and "--from=stripped" in students
    assert re.search(r"^RUN rm -rf .*notebooks/assignments/source environment/tests", stages[-2], re.M)
    assert not any("COPY" in stage for stage in stages[:2])  # what the student's image stands on


def test_the_values_for_kubernetes_name_what_the_images_hold():
    values = yaml.safe_load((HERE / "hub" / "values.yaml").read_text())
    user = values["singleuser"]
    claims = {volume["name"] for volume in user["storage"]["extraVolumes"]}
    assert {mount["name"]: mount["mountPath"] for mount in user["storage"]["extraVolumeMounts"]} == {"exchange": user["extraEnv"]["NBGRADER_EXCHANGE"]}
    assert claims == {"exchange"}
    compile(values["hub"]["extraConfig"]["teacher"], "values.yaml", "exec")


@pytest.mark.parametrize("names, wrong", [(["Ada"], "Ada"), (["teacher"], "teacher"), (["ok", "../x"], "../x")])
def test_a_name_that_cannot_be_a_students_is_named(names, wrong):
    done = subprocess.run([*COURSE, "hub", "--students", *names], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "hub: %s cannot be a student's name" % wrong in done.stderr


# ---- a round in a browser

def free_ports():
    """The first of three free ports in a row."""
    for port in range(18000, 19000, 3):
        try:
            for one in range(port, port + 3):
                with socket.socket() as attempt:
                    attempt.bind(("127.0.0.1", one))
            return port
        except OSError:
            continue
    raise RuntimeError("no three free ports in a row")


@pytest.fixture
def hub():
    """A running hub's address, and the passwords of teacher and students as it prints them."""
    process = subprocess.Popen([*COURSE, "hub", "--port", str(free_ports()), "--students", STUDENT], cwd=ROOT,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    text = ""
    while text.count("password") < 2 or "Route added" not in text:
        line = process.stdout.readline()
        assert line, "the hub stopped:\n" + text
        text += line
    threading.Thread(target=process.stdout.read, daemon=True).start()  # it must not wait for a reader
    yield re.search(r"http://127\.0\.0\.1:\d+", text).group(), *re.findall(r"password (\w+)", text)
    os.killpg(process.pid, signal.SIGTERM)
    process.wait(60)


def log_in(chromium, address, user, password):
    page = chromium.new_context(viewport={"width": 1300, "height": 900}).new_page()
    page.set_default_timeout(120_000)
    page.goto(address + "/hub/login")
    page.fill("#username_input", user)
    page.fill("#password_input", password)
    page.click("#login_submit")
    page.wait_for_url("**/user/%s/lab**" % user)
    page.wait_for_selector(".jp-Launcher")
    return page


def press(teacher, address, column):
    """Presses the assignment's button in a column of the formgrader, and waits for the word of success."""
    teacher.goto(address + "/user/teacher/formgrader/manage_assignments")
    teacher.click("tr:has(td.name:has-text('%s')) td.%s a" % (ASSIGNMENT, column))
    teacher.wait_for_selector(".modal-title:visible:has-text('Success')")


def open_list(student):
    student.click(".lm-MenuBar-item:has-text('Nbgrader')")
    student.click(".lm-Menu-item:has-text('Assignment List')")
    return lambda kind: "#%s_assignments_list " % kind


def solve(file):
    """The reference solutions into a student's notebook."""
    source = json.loads((NOTEBOOKS / "assignments" / "source" / FILE).read_text())
    answers = {cell["metadata"]["nbgrader"]["grade_id"]: cell["source"] for cell in source["cells"]
               if cell["metadata"].get("nbgrader", {}).get("solution") and cell["cell_type"] == "code"}
    mine = json.loads(file.read_text())
    for cell in mine["cells"]:
        cell["source"] = answers.get(cell["metadata"].get("nbgrader", {}).get("grade_id"), cell["source"])
    file.write_text(json.dumps(mine))


def run_and_save(student, address):
    """Opens the notebook, runs all its cells in the hub's Java kernel, and saves."""
    student.goto("%s/user/%s/lab/tree/%s" % (address, STUDENT, FILE))
    student.wait_for_selector(".jp-Notebook .jp-CodeCell")
    student.click(".lm-MenuBar-item:has-text('Run')")
    student.click(".lm-Menu-item:has-text('Run All Cells')")
    student.wait_for_function("""() => document.querySelectorAll('.jp-OutputArea-output img').length >= 3""")
    student.click(".lm-MenuBar-item:has-text('File')")
    student.click(".lm-Menu-item:has-text('Save Notebook'):not(:has-text('As'))")
    student.wait_for_timeout(3000)


@pytest.mark.skipif(os.environ.get("CLASSROOM") != "all", reason="make test-classroom plays it: it takes minutes")
def test_a_round_of_one_assignment(hub, monkeypatch):
    address, teachers, students = hub
    monkeypatch.setattr(browser, "FLAGS", [flag.replace("~NOTFOUND", "~NOTFOUND, EXCLUDE 127.0.0.1") for flag in browser.FLAGS])
    subprocess.run([*COURSE, "release"], cwd=ROOT, check=True)
    with sync_playwright() as playwright:
        chromium = browser.launch(playwright)
        teacher = log_in(chromium, address, "teacher", teachers)
        press(teacher, address, "release")

        student = log_in(chromium, address, STUDENT, students)
        assert student.locator("text=Create Assignment").count() == 0
        of = open_list(student)
        student.click(of("released") + ".list_item:has-text('%s') button:has-text('Fetch')" % ASSIGNMENT)
        student.wait_for_selector(of("fetched") + "button:has-text('Submit')")
        mine = BUILD / "hub" / "home" / STUDENT / FILE
        assert "BEGIN SOLUTION" not in mine.read_text() and not (mine.parent / "tasks.py").exists()
        solve(mine)
        run_and_save(student, address)
        assert "SelfCheck" in mine.read_text() and '"image/png"' in mine.read_text()  # outputs of this hub's kernel
        of = open_list(student)
        student.click(of("fetched") + "button:has-text('Submit')")
        student.wait_for_selector(of("submitted") + "button:has-text('Fetch Feedback')")

        press(teacher, address, "collect")
        subprocess.run([*COURSE, "grade"], cwd=ROOT, check=True, env=dict(os.environ, SUBMITTED=str(BUILD / "classroom" / "submitted")))
        with open(BUILD / "classroom" / "grades.csv", encoding="utf-8-sig", newline="") as table:
            row = next(row for row in csv.DictReader(table) if row["student"] == STUDENT and row["assignment"] == ASSIGNMENT)
        assert row["automatic"] == row["automatic_max"] == "20"
        press(teacher, address, "release-feedback")

        student.reload()
        of = open_list(student)
        student.click(of("submitted") + "button:has-text('Fetch Feedback')")
        student.wait_for_function("() => document.body.innerText.toLowerCase().includes('view feedback')")
        pages = list((BUILD / "hub" / "home" / STUDENT / ASSIGNMENT / "feedback").rglob("*.html"))
        assert len(pages) == 1 and "Softmax and the worked example" in pages[0].read_text()
        chromium.close()
