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
    page.set_default_timeout(90_000)
    page.goto(address + "/hub/login")
    page.fill("#username_input", user)
    page.fill("#password_input", password)
    page.click("#login_submit")
    page.wait_for_url("**/user/%s/lab**" % user)
    page.wait_for_selector(".lm-MenuBar-item:has-text('Nbgrader')")
    return page


def picture(page, name):
    """What the page shows, into the folder that HUB_PICTURES names, for a person to look at."""
    if os.environ.get("HUB_PICTURES"):
        page.screenshot(path=os.path.join(os.environ["HUB_PICTURES"], name + ".png"))


def press(teacher, address, column):
    """Presses the assignment's button in a column of the formgrader, and waits for the word of success."""
    teacher.goto(address + "/user/teacher/formgrader/manage_assignments")
    teacher.click("tr:has(td.name:has-text('%s')) td.%s a" % (ASSIGNMENT, column))
    teacher.wait_for_selector(".modal-title:visible:has-text('Success')")
    picture(teacher, "teacher-" + column)


def choose(page, menu, item):
    page.click(".lm-MenuBar-item:has-text('%s')" % menu)
    page.locator(".lm-Menu-item:visible", has_text=re.compile("^" + item)).first.click()


def open_list(student, address):
    student.goto("%s/user/%s/lab" % (address, STUDENT))
    student.wait_for_selector(".lm-MenuBar-item:has-text('Nbgrader')")
    choose(student, "Nbgrader", "Assignment List")
    return lambda kind: "#%s_assignments_list .list_item:has-text('%s') " % (kind, ASSIGNMENT)


def submit(student, address):
    of = open_list(student, address)
    before = student.locator("#submitted_assignments_list .list_item").count()
    student.click(of("fetched") + "button:has-text('Submit')")
    student.wait_for_function("n => document.querySelectorAll('#submitted_assignments_list .list_item').length > n", arg=before)


def solutions():
    """The sources of the code cells that a student is to write, by grade_id."""
    source = json.loads((NOTEBOOKS / "assignments" / "source" / FILE).read_text())
    return {cell["metadata"]["nbgrader"]["grade_id"]: "".join(cell["source"]) for cell in source["cells"]
            if cell["metadata"].get("nbgrader", {}).get("solution") and cell["cell_type"] == "code"}


def open_notebook(student, address):
    student.goto("%s/user/%s/lab/tree/%s" % (address, STUDENT, FILE))
    student.wait_for_selector(".jp-NotebookPanel:visible .jp-CodeCell")
    student.wait_for_selector(".jp-StatusBar-TextItem:has-text('Java | Idle')")


def write(student, head, source):
    """Types a cell's new source over the old, in the cell whose source holds head."""
    cell = student.locator(".jp-NotebookPanel:visible .jp-CodeCell:has(.jp-Editor:has-text('%s'))" % head).first
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-content").click()
    student.keyboard.press("Control+A")
    student.keyboard.insert_text(source)
    return cell


def run_all(student, pictures):
    """Runs all cells in the hub's Java kernel until so many pictures are there, and saves."""
    choose(student, "Run", "Run All Cells")
    student.wait_for_function("n => document.querySelectorAll('.jp-OutputArea-output img').length >= n", arg=pictures)
    student.wait_for_selector(".jp-StatusBar-TextItem:has-text('Java | Idle')")
    student.keyboard.press("Control+S")
    student.wait_for_selector(".lm-TabBar-tab.jp-mod-current:not(.jp-mod-dirty):has-text('%s')" % ASSIGNMENT)


def grade():
    """The project's own grading of what was collected: the row of the table, and all that it printed."""
    done = subprocess.run([*COURSE, "grade"], cwd=ROOT, check=True, capture_output=True, text=True,
                          env=dict(os.environ, SUBMITTED=str(BUILD / "classroom" / "submitted")))
    with open(BUILD / "classroom" / "grades.csv", encoding="utf-8-sig", newline="") as table:
        return next(row for row in csv.DictReader(table) if row["student"] == STUDENT and row["assignment"] == ASSIGNMENT), done.stdout


def fetch_feedback(student, address):
    """Fetches what feedback there is. Returns the pages, the newest last."""
    of = open_list(student, address)
    student.locator("#submitted_assignments_list button:has-text('Fetch Feedback')").first.click()
    student.wait_for_function("() => document.body.innerText.toLowerCase().includes('view feedback')")
    student.wait_for_timeout(2000)
    picture(student, "student-feedback-list")
    return sorted((BUILD / "hub" / "home" / STUDENT / ASSIGNMENT / "feedback").rglob("*.html"))


@pytest.mark.skipif(os.environ.get("CLASSROOM") != "all", reason="make test-classroom plays it: it takes minutes")
def test_a_round_of_one_assignment(hub, monkeypatch):
    address, teachers, students = hub
    monkeypatch.setattr(browser, "FLAGS", [flag.replace("~NOTFOUND", "~NOTFOUND, EXCLUDE 127.0.0.1") for flag in browser.FLAGS])
    subprocess.run([*COURSE, "release"], cwd=ROOT, check=True)
    with sync_playwright() as playwright:
        chromium = browser.launch(playwright)
        teacher = log_in(chromium, address, "teacher", teachers)
        press(teacher, address, "release")

        # One task is solved, in the browser.
        student = log_in(chromium, address, STUDENT, students)
        assert student.locator("text=Create Assignment").count() == 0
        of = open_list(student, address)
        student.click(of("released") + "button:has-text('Fetch')")
        student.wait_for_selector(of("fetched") + "button:has-text('Submit')")
        picture(student, "student-fetched")
        mine = BUILD / "hub" / "home" / STUDENT / FILE
        assert "BEGIN SOLUTION" not in mine.read_text() and not (mine.parent / "tasks.py").exists()
        open_notebook(student, address)
        cell = write(student, "double[] softmax(", solutions()["softmax"])
        run_all(student, 1)
        cell.scroll_into_view_if_needed()
        picture(student, "student-worked")
        saved = json.loads(mine.read_text())
        outputs = {cell["metadata"].get("nbgrader", {}).get("grade_id"): json.dumps(cell.get("outputs"), ensure_ascii=False) for cell in saved["cells"]}
        assert "✓" in outputs["softmax-check"] and "✗" not in outputs["softmax-check"]  # by this hub's kernel
        submit(student, address)
        picture(student, "student-submitted")

        press(teacher, address, "collect")
        row, printed = grade()
        assert (row["automatic"], row["automatic_max"], row["to_grade_by_hand"]) == ("5", "20", "")
        assert "late" not in row["look"]
        press(teacher, address, "release-feedback")
        pages = fetch_feedback(student, address)
        assert len(pages) == 1
        student.goto("%s/user/%s/files/%s" % (address, STUDENT, pages[0].relative_to(BUILD / "hub" / "home" / STUDENT)))
        picture(student, "student-feedback")
        assert "Softmax and the worked example" in student.inner_text("body") and "softmax-check (Score: 5.0 / 5.0)" in student.inner_text("body")
        chromium.close()
