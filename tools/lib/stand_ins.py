"""Images that stand for official ones where those cannot be pulled, under the same name, so that the
shipped files are what is tested. Only ever made in a private daemon."""

import glob
import hashlib
import os
import shutil
import subprocess
import tempfile

import vitess
from dockerd import CannotRun, DockerError, run, succeeds

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CACHE = os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "mqgate")
LABEL = "mqgate.stand-in"
CERTIFICATES = "/usr/local/share/ca-certificates"

# As the official image: no documents, no package lists, no caches.
DEBIAN = ["mmdebstrap", "--quiet", "--variant=minbase",
          "--aptopt=Acquire::Check-Valid-Until \"false\"", "--aptopt=Dir::Cache::pkgcache \"\"",
          "--aptopt=Dir::Cache::srcpkgcache \"\"", "--dpkgopt=path-exclude=/usr/share/doc/*",
          "--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*"]

# What the server and its clients need of the unpacked packages.
MYSQL = ["usr/sbin/mysqld", "usr/bin/mysql", "usr/bin/mysqladmin", "usr/share/mysql",
         "usr/lib/x86_64-linux-gnu/*.so*", "usr/lib/mysql/plugin/mysql_native_password.so"]


def debian(name, labels):
    if not shutil.which("mmdebstrap"):
        raise CannotRun("mmdebstrap is missing (package mmdebstrap)")
    certificates = []
    if glob.glob(CERTIFICATES + "/*.crt"):  # this machine's own, for what a build fetches
        certificates = [f"--customize-hook=mkdir -p \"$1{CERTIFICATES}\"",
                        f"--customize-hook=copy-in {CERTIFICATES} {os.path.dirname(CERTIFICATES)}"]
    with tempfile.TemporaryDirectory() as folder:
        tar = f"{folder}/debian.tar"
        run([*DEBIAN, *certificates, "bookworm", tar])
        run(["docker", "import", "--change", f"LABEL {labels}", tar, name])


def mysql(name, labels):
    source = run([f"{ROOT}/tools/fetch-mysql"], stdin=subprocess.DEVNULL).strip().splitlines()[-1]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(f"{ROOT}/tests/containers/mysql", folder, dirs_exist_ok=True)
        for pattern in MYSQL:
            for path in glob.glob(os.path.join(source, pattern)):
                copy(path, os.path.join(folder, "tree", os.path.relpath(path, source)))
        run(["docker", "build", "--label", labels, "--tag", name, folder])


def vttestserver(name, labels):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(f"{ROOT}/tests/containers/vttestserver", folder, dirs_exist_ok=True)
        try:
            shutil.copy(vitess.program(CACHE), os.path.join(folder, "vtcombo"))
        except vitess.VitessError as problem:
            raise CannotRun(str(problem)) from None
        run(["docker", "build", "--label", labels, "--tag", name, folder])


def copy(path, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    run(["cp", "-a", path, target])


MAKERS = {"debian:bookworm-slim": debian, "mysql:9": mysql,
          "vitess/vttestserver:v24.0.4-mysql84": vttestserver}


def recipe(name):
    """Names how an image is made; another recipe makes it anew."""
    digest = hashlib.sha256(repr((DEBIAN, MYSQL)).encode())
    for path in sorted(glob.glob(f"{ROOT}/tests/containers/{MAKERS[name].__name__}/*")):
        digest.update(open(path, "rb").read())
    return f"{LABEL}={digest.hexdigest()[:16]}"


def made(name, labels):
    return labels in subprocess.run(
        ["docker", "image", "inspect", "--format", "{{range $k, $v := .Config.Labels}}{{$k}}={{$v}} {{end}}",
         name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def provide(name, private):
    """The image is there afterwards, pulled or made."""
    labels = recipe(name)
    if made(name, labels):
        return "made before"
    if not made(name, LABEL) and succeeds(["docker", "image", "inspect", name]):
        return "there"
    if succeeds(["docker", "pull", "--quiet", name]):
        return "pulled"
    if not private:
        raise DockerError(f"{name} cannot be pulled")
    MAKERS[name](name, labels)
    return "cannot be pulled; made here"
