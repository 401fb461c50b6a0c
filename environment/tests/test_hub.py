"""The hub. `make test-classroom` plays one assignment's round on it in a browser: release, fetch, work, submit, collect, grade, feedback."""
import csv
import datetime
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading

import browser
import pytest
import yaml
from course import BUILD, HERE, NOTEBOOKS, ROOT
from nbgrader.api import Gradebook
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


def test_without_bubblewrap_the_hub_says_what_to_do(tmp_path):
    environment = {name: value for name, value in os.environ.items() if name != "ISOLATION"}
    done = subprocess.run([*COURSE, "hub"], cwd=ROOT, env=dict(environment, PATH=str(tmp_path)), capture_output=True, text=True)
    assert done.returncode == 1 and "no bwrap on the PATH" in done.stderr and "make hub ISOLATION=none" in done.stderr


def test_a_submission_is_taken_without_what_its_links_lead_to(tmp_path):
    sys.path.insert(0, str(HERE / "hub"))
    from exchange import take
    (tmp_path / "secret").write_text("the solution")
    given = tmp_path / "given"
    (given / "folder").mkdir(parents=True)
    (given / "work.ipynb").write_text("{}")
    (given / "link.ipynb").symlink_to(tmp_path / "secret")
    os.mkfifo(given / "pipe.ipynb")
    (given / "folder" / "link").symlink_to(tmp_path)
    take(given, tmp_path / "taken")
    assert [file.name for file in (tmp_path / "taken").rglob("*")] == ["work.ipynb"] and not given.exists()
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(OSError):
        take(tmp_path / "link", tmp_path / "again")
    assert (tmp_path / "secret").read_text() == "the solution"


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
def beginning():
    """No hub and no class so far: what this copy of the course has is kept, and put back."""
    kept = {BUILD / name: BUILD / (name + "-kept-by-test") for name in ("hub", "classroom")}
    for folder, aside in kept.items():
        assert not aside.exists(), "an interrupted test has left %s: it belongs to %s" % (aside, folder)
    for folder, aside in kept.items():
        if folder.exists():
            folder.rename(aside)
    yield
    for folder, aside in kept.items():
        shutil.rmtree(folder, ignore_errors=True)
        if aside.exists():
            aside.rename(folder)


@pytest.fixture
def hub(beginning):
    """A running hub's address, and the passwords of teacher and students as it prints them."""
    process = subprocess.Popen([*COURSE, "hub", "--port", str(free_ports()), "--students", STUDENT, "emmy"], cwd=ROOT,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    text = ""
    while text.count("password") < 2 or "Route added" not in text:
        line = process.stdout.readline()
        assert line, "the hub stopped:\n" + text
        text += line
    threading.Thread(target=process.stdout.read, daemon=True).start()  # it must not wait for a reader
    yield re.search(r"http://127\.0\.0\.1:\d+", text).group(), *re.findall(r"password (\w+)", text)
    process.terminate()
    process.wait(120)
    left = [line for line in subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout.splitlines()
            if str(HERE / "hub") in line and "proxy" in line or str(BUILD / "hub" / "home" / STUDENT) in line]
    assert left == []  # no proxy, no student's server, no kernel


def log_in(chromium, address, user, password):
    page = chromium.new_context(viewport={"width": 1300, "height": 900}).new_page()
    page.set_default_timeout(180_000)
    give(page, address, user, password)
    page.wait_for_url("**/user/%s/lab**" % user)
    page.wait_for_selector(".lm-MenuBar-item:has-text('Nbgrader')")
    return page


def give(page, address, user, password):
    page.goto(address + "/hub/login")
    page.fill("#username_input", user)
    page.fill("#password_input", password)
    page.click("#login_submit")


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


def write(student, task, source):
    """Types a cell's new source over the old."""
    cells = [cell for cell in json.loads((BUILD / "hub" / "home" / STUDENT / FILE).read_text())["cells"] if cell["cell_type"] == "code"]
    number = next(n for n, cell in enumerate(cells) if cell["metadata"].get("nbgrader", {}).get("grade_id") == task)
    cell = student.locator(".jp-NotebookPanel:visible .jp-Notebook .jp-CodeCell").nth(number)
    cell.locator(".cm-content").click()
    student.keyboard.press("Control+A")
    student.keyboard.insert_text(source)
    return cell


def run_all(student, pictures):
    """Runs all cells in the hub's Java kernel until so many pictures are there, and saves."""
    choose(student, "Run", "Run All Cells")
    student.wait_for_function("""n => document.querySelectorAll('.jp-OutputArea-output img').length >= n
                                 && ![...document.querySelectorAll('.jp-InputPrompt')].some(prompt => prompt.textContent.includes('*'))""", arg=pictures)
    student.keyboard.press("Control+S")
    student.wait_for_selector(".lm-TabBar-tab.jp-mod-current:not(.jp-mod-dirty):has-text('%s')" % ASSIGNMENT)


def grade():
    """The project's own grading of what was collected: the row of the table, and all that it printed."""
    done = subprocess.run([*COURSE, "grade"], cwd=ROOT, check=True, capture_output=True, text=True,
                          env=dict(os.environ, SUBMITTED=str(BUILD / "classroom" / "submitted")))
    with open(BUILD / "classroom" / "grades.csv", encoding="utf-8-sig", newline="") as table:
        return next(row for row in csv.DictReader(table) if row["student"] == STUDENT and row["assignment"] == ASSIGNMENT), done.stdout


def fetch_feedback(student, address, count):
    """Fetches feedback until there are so many pages. Returns them, the newest last."""
    open_list(student, address)
    student.locator("#submitted_assignments_list button:has-text('Fetch Feedback')").first.click()
    folder = BUILD / "hub" / "home" / STUDENT / ASSIGNMENT / "feedback"
    for _ in range(60):
        student.wait_for_timeout(1000)
        pages = sorted(folder.rglob("*.html"))
        if len(pages) >= count:
            break
    student.wait_for_selector("text=view feedback")
    picture(student, "student-feedback-list")
    assert len(pages) == count
    return pages


def not_for(student):
    """What one student must not see, and last a file that he must."""
    hub = BUILD / "hub"
    return [hub / "home" / "emmy", hub / "inbound" / "emmy", hub / "feedback" / "emmy", hub / "cookie-secret", hub / "hub.sqlite", hub / "password-teacher",
            NOTEBOOKS / "assignments" / "source" / FILE, NOTEBOOKS / "assignments" / "source" / ASSIGNMENT / "tasks.py", HERE / "tests" / "answers.py",
            BUILD / "classroom" / "gradebook.db", BUILD / "classroom" / "seed", ROOT / ".git", hub / "home" / student / FILE]


def look(files):
    """Java that tells which of the files there are."""
    return "\n\nfor (String file : new String[] {%s}) System.out.println(\"look \" + new java.io.File(file).exists());" % ", ".join('"%s"' % file for file in files)


def outputs_of(file):
    """The outputs of a saved notebook's named cells."""
    cells = json.loads(file.read_text())["cells"]
    return {cell["metadata"].get("nbgrader", {}).get("grade_id"): json.dumps(cell.get("outputs"), ensure_ascii=False) for cell in cells}


@pytest.mark.skipif(os.environ.get("CLASSROOM") != "all", reason="make test-classroom plays it: it takes minutes")
def test_a_round_of_one_assignment(hub, monkeypatch):
    address, teachers, students = hub
    monkeypatch.setattr(browser, "FLAGS", [flag.replace("~NOTFOUND", "~NOTFOUND, EXCLUDE 127.0.0.1") for flag in browser.FLAGS])
    subprocess.run([*COURSE, "release"], cwd=ROOT, check=True)
    with sync_playwright() as playwright:
        chromium = browser.launch(playwright)
        teacher = log_in(chromium, address, "teacher", teachers)
        press(teacher, address, "release")

        stranger = chromium.new_page()
        for user, password in ((STUDENT, "wrong"), ("teacher", students), ("nobody", students)):
            give(stranger, address, user, password)
            stranger.wait_for_selector("text=Invalid username or password")
        picture(stranger, "wrong-password")
        log_in(chromium, address, "emmy", students).close()

        # One task is solved, in the browser.
        student = log_in(chromium, address, STUDENT, students)
        assert student.locator("text=Create Assignment").count() == 0
        assert student.request.get(address + "/user/emmy/api/contents").status in (403, 404)
        of = open_list(student, address)
        student.click(of("released") + "button:has-text('Fetch')")
        student.wait_for_selector(of("fetched") + "button:has-text('Submit')")
        picture(student, "student-fetched")
        mine = BUILD / "hub" / "home" / STUDENT / FILE
        assert "BEGIN SOLUTION" not in mine.read_text() and not (mine.parent / "tasks.py").exists()
        open_notebook(student, address)
        files = not_for(STUDENT)
        assert [file for file in files if not file.exists() and file.name not in ("seed", ".git")] == []
        cell = write(student, "softmax", solutions()["softmax"] + look(files))
        run_all(student, 1)
        cell.scroll_into_view_if_needed()
        picture(student, "student-worked")
        outputs = outputs_of(mine)
        assert "✓" in outputs["softmax-check"] and "✗" not in outputs["softmax-check"]  # by this hub's kernel
        assert re.findall("look (true|false)", outputs["softmax"]) == ["false"] * (len(files) - 1) + ["true"]
        submit(student, address)
        picture(student, "student-submitted")
        forged = BUILD / "hub" / "inbound" / STUDENT / ("emmy+%s+2026-01-01 00:00:00.000000 UTC+x" % ASSIGNMENT)
        shutil.copytree(mine.parent, forged)  # in another's name
        shutil.copytree(mine.parent, forged.parent / ("%s+%s+yesterday" % (STUDENT, ASSIGNMENT)))  # at no time

        press(teacher, address, "collect")
        assert [folder.name for folder in (BUILD / "classroom" / "submitted").iterdir()] == [STUDENT] and forged.exists()
        row, printed = grade()
        assert (row["automatic"], row["automatic_max"], row["by_hand"]) == ("5.0", "20.0", "0.0") and "late" not in row["look"]

        # By hand, without a network: the formulas are set.
        errors = []
        teacher.on("pageerror", lambda error: errors.append(error))
        teacher.goto("%s/user/teacher/formgrader/gradebook/%s/%s" % (address, ASSIGNMENT, ASSIGNMENT))
        teacher.locator("td.name a.name-hidden").first.click()
        teacher.wait_for_selector("#invariance")
        assert teacher.locator("math").count() > 20 and not any("$" in text for text in teacher.locator("#notebook-container p").all_inner_texts())
        with teacher.expect_response(lambda response: response.request.method == "PUT" and "/api/grade" in response.url):
            teacher.fill("#invariance", "4")
            teacher.press("#invariance", "Tab")
        picture(teacher, "teacher-by-hand")
        assert errors == []
        row, printed = grade()
        assert (row["score"], row["by_hand"]) == ("9.0", "4.0")
        press(teacher, address, "release-feedback")
        pages = fetch_feedback(student, address, 1)
        student.goto("%s/user/%s/files/%s" % (address, STUDENT, pages[0].relative_to(BUILD / "hub" / "home" / STUDENT)))
        picture(student, "student-feedback")
        assert "Softmax and the worked example" in student.inner_text("body") and "1-softmax (Score: 9.0 / 30.0)" in student.inner_text("body")

        # All tasks are solved, and handed in late.
        with Gradebook("sqlite:///%s" % (BUILD / "classroom" / "gradebook.db"), "rootdk") as book:
            book.update_or_create_assignment(ASSIGNMENT, duedate=(datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=2)).replace(tzinfo=None))
        open_notebook(student, address)
        for task, source in solutions().items():
            write(student, task, source)
        run_all(student, 3)
        submit(student, address)
        press(teacher, address, "collect")
        row, printed = grade()
        assert (row["automatic"], row["score"]) == ("20.0", "24.0") and "handed in 2 days, 0:" in row["look"] and "handed in 2 days" in printed
        press(teacher, address, "release-feedback")
        fetch_feedback(student, address, 2)
        chromium.close()
