"""What brings the drivers: packages and programs, fetched and built once into the cache.

A toolchain gives the words that drivers.yaml uses in its commands. What it makes lies in a folder
named after the contents of the files that it is made from, so that other versions of these, in
another clone, do not disturb it.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mqgate" / "drivers"


class Missing(Exception):
    """A toolchain cannot be had on this machine."""


def tool(name, package):
    path = shutil.which(name)
    if path is None:
        raise Missing(f"{name} is missing (package {package})")
    return path


def version_of(*command):
    """The first number of a tool's answer, as a tuple."""
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    for word in (out.stdout + out.stderr).replace("v", " ").replace("go", " ").split():
        parts = word.split(".")
        if len(parts) > 1 and parts[0].isdigit() and parts[1].isdigit():
            return int(parts[0]), int(parts[1])
    return (0, 0)


def run(*command, **options):
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )
    if done.returncode:
        raise SystemExit(f"FAILED: {' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


def loader_of(tree):
    """The dynamic loader of packages that were unpacked there."""
    return next(tree.glob("usr/lib/*/ld-linux-*.so.*"))


class Toolchains:
    """Each kind is prepared once, when the first driver asks for it."""

    def __init__(self, clients):
        self.clients, self.words, self.missing = (
            clients,
            {"clients": clients, "python3": sys.executable},
            {},
        )

    def prepare(self, name):
        if name in self.missing:
            raise self.missing[name]
        if name in self.words:
            return
        try:
            self.words[name] = getattr(self, name)()
        except Missing as reason:
            self.missing[name] = reason
            raise

    def command(self, template, job):
        """A command of drivers.yaml; a word that is a list becomes several."""
        out = []
        for word in template:
            value = self.words.get(word[1:-1]) if word.startswith("{") else None
            out += value if isinstance(value, list) else [word.format(**self.words, job=job)]
        return [str(word) for word in out]

    def made_from(self, name, sources, make):
        """A folder of the cache that make(folder) has filled from these files, or texts."""
        digest = hashlib.sha256()
        for source in sources:
            digest.update(source.read_bytes() if isinstance(source, Path) else source.encode())
        CACHE.mkdir(parents=True, exist_ok=True)
        folder = CACHE / f"{name}-{digest.hexdigest()[:12]}"
        with open(CACHE / f"{name}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = folder / ".made"
            if not done.exists():
                print(f"preparing {name}", flush=True)
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
            done.touch()
            self.forget_old(name)
        return folder

    @staticmethod
    def forget_old(name):
        """Removes what no run has used for a week."""
        for done in CACHE.glob(f"{name}-*/.made"):
            if time.time() - done.stat().st_mtime > 7 * 24 * 3600:
                shutil.rmtree(done.parent, ignore_errors=True)

    # --- one function per kind; its answer replaces {NAME} in commands

    def python(self):
        return self.environment("python", "requirements.txt")

    def aiomysql(self):
        return self.environment("aiomysql", "requirements-aiomysql.txt")

    def environment(self, name, requirements):
        wanted = self.clients / "python" / requirements

        def make(folder):
            run(tool("python3", "python3"), "-m", "venv", folder)
            run(
                folder / "bin" / "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "-r",
                wanted,
            )

        return self.made_from(name, [wanted], make) / "bin" / "python"

    def node(self):
        """Node looks for packages beside the program, so a copy of that lies in the cache."""
        node, npm = tool("node", "nodejs"), tool("npm", "npm")
        if version_of(node, "--version") < (20, 0):
            raise Missing("node is older than 20")
        sources = sorted((self.clients / "node").glob("*.js*"))

        def make(folder):
            for source in sources:
                shutil.copy(source, folder)
            run(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=folder)

        self.words["node_programs"] = self.made_from("node", sources, make)
        return node

    def go(self):
        return self.go_program("go", "go.mod")

    def go_old(self):
        """The driver of the legacy queue client."""
        return self.go_program("go-old", "v1.6.mod")

    def go_program(self, name, modules):
        go, folder = tool("go", "golang-go"), self.clients / "go"
        if version_of(go, "version") < (1, 24):
            raise Missing("go is older than 1.24")
        sources = [
            *sorted(folder.glob("*.go")),
            *sorted(folder.glob(modules.replace(".mod", ".*"))),
        ]

        def make(target):
            run(
                go,
                "build",
                "-buildvcs=false",
                f"-modfile={modules}",
                "-o",
                target / "client",
                ".",
                cwd=folder,
            )

        return self.made_from(name, sources, make) / "client"

    def rust(self):
        """The folder of both programs; what they depend on is compiled once."""
        cargo, project = tool("cargo", "cargo"), self.clients / "rust"
        if version_of(tool("rustc", "rustc"), "--version") < (1, 94):
            raise Missing("rustc is older than 1.94")
        target = CACHE / "rust-target"

        def make(folder):
            environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
            run(cargo, "build", "--quiet", "--locked", cwd=project, env=environment)
            for name in ("sqlx", "mysql_async"):
                shutil.copy(target / "debug" / name, folder)

        sources = [project / "Cargo.toml", project / "Cargo.lock", *sorted(project.rglob("*.rs"))]
        return self.made_from("rust", sources, make)

    # --- the command-line clients, which are there with the servers

    def mariadb_cli(self):
        return tool("mariadb", "mariadb-client-core")

    def mariadb_dump(self):
        return tool("mariadb-dump", "mariadb-client-core")

    def mysql_cli(self):
        return self.mysql_program("mysql")

    def mysqldump(self):
        return self.mysql_program("mysqldump")

    def mysqlslap(self):
        return self.mysql_program("mysqlslap")

    def mysql_program(self, name):
        """A program of the unpacked MySQL, which needs the loader beside it."""
        fetch = self.clients.parents[2] / "tools" / "fetch-mysql"
        done = subprocess.run([fetch], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(f"MySQL 9.x cannot be fetched: {done.stderr.strip()}")
        tree = Path(done.stdout.strip())
        loader = loader_of(tree)
        return [loader, "--library-path", loader.parent, tree / "usr/bin" / name]

    def java(self):
        """The class path: the drivers as Maven brings them, and the compiled program."""
        javac, mvn = tool("javac", "default-jdk-headless"), tool("mvn", "maven")
        if version_of(javac, "--version") < (17, 0):
            raise Missing("javac is older than 17")
        sources = sorted((self.clients / "java").iterdir())

        def make(folder):
            pom = self.clients / "java" / "pom.xml"
            copy = ("dependency:copy-dependencies", f"-DoutputDirectory={folder}")
            run(mvn, "-q", "-B", "-f", pom, *copy)
            programs = [source for source in sources if source.suffix == ".java"]
            run(javac, "-cp", f"{folder}/*", "-d", folder, *programs)

        folder = self.made_from("java", sources, make)
        return f"{folder}:{folder}/*"

    # --- the C libraries

    def c_sources(self):
        return sorted((self.clients / "c").iterdir())

    def libmariadb(self):
        gcc = tool("gcc", "gcc")
        flags = run(
            tool("pkg-config", "pkg-config"), "--cflags", "--libs", "libmariadb", "jansson", "zlib"
        ).split()

        def make(folder):
            run(gcc, "-O1", "-Wall", "-o", folder / "client", *self.c_files(), *flags)

        return self.made_from("libmariadb", self.c_sources(), make) / "client"

    def libmysqlclient(self):
        gcc, tree = tool("gcc", "gcc"), self.mysql_sysroot()
        loader = loader_of(tree)

        def make(folder):
            run(
                *(gcc, "-O1", "-Wall", f"--sysroot={tree}", f"-I{tree}/usr/include/mysql"),
                *("-o", folder / "client", *self.c_files()),
                *(f"-L{loader.parent}", f"-B{loader.parent}", "-lmysqlclient", "-ljansson", "-lz"),
                "-Wl,--allow-shlib-undefined",
            )

        folder = self.made_from("libmysqlclient", [*self.c_sources(), str(tree)], make)
        return [loader, "--library-path", loader.parent, folder / "client"]

    def mysql_sysroot(self):
        """MySQL's own library, from Debian's unstable suite; it runs with the loader beside it."""
        mmdebstrap = tool("mmdebstrap", "mmdebstrap")
        packages = "libmysqlclient-dev,libc6-dev,libjansson-dev,zlib1g-dev"

        def make(folder):
            run(
                *(mmdebstrap, "--quiet", '--aptopt=Acquire::Check-Valid-Until "false"'),
                *("--variant=extract", f"--include={packages}", "sid", folder / "tree"),
            )
            for name in ("lib", "lib64"):  # as the base package would have linked them
                if not (folder / "tree" / name).exists():
                    (folder / "tree" / name).symlink_to(f"usr/{name}")

        return self.made_from("mysql-sysroot", [packages], make) / "tree"

    def c_files(self):
        return [source for source in self.c_sources() if source.suffix == ".c"]
