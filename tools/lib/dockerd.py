"""A Docker daemon for the length of a test: the one that runs here if it can pull images, else a
private one, which is started by hand as root and leaves nothing behind but its cached layers."""

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time

START_TIMEOUT = 60
STOP_TIMEOUT = 60
# What is tried when the kernel does not have all that the daemon wants.
FALLBACKS = [
    [],
    ["--storage-driver=vfs"],
    ["--storage-driver=vfs", "--iptables=false", "--ip6tables=false"],
]
PROGRAMS = {"dockerd": "docker.io", "docker": "docker.io", "runc": "runc", "ip": "iproute2",
            "iptables-save": "iptables"}
# What no daemon can do without.
PROBE = ["unshare", "--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "sh", "-c",
         "mount -t tmpfs none /mnt && ip link add probe type bridge"]
FORWARDING = "/proc/sys/net/ipv4/ip_forward"


class DockerError(Exception):
    """Something the user is told in one message, without a traceback."""


class CannotRun(DockerError):
    """Something is missing that can be installed."""


class KernelRefuses(DockerError):
    """This machine runs no containers at all, whatever is installed."""


def run(argv, **options):
    """Its output; a failure is told with what it said."""
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False, **options)
    if done.returncode != 0:
        raise DockerError(f"{' '.join(map(str, argv[:4]))} … failed:\n{done.stdout[-3000:]}")
    return done.stdout


def succeeds(argv, **options):
    return subprocess.run(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          **options).returncode == 0


def running(image):
    """Whether a daemon answers that has the image, or can pull it."""
    return (shutil.which("docker") is not None and succeeds(["docker", "version"]) and
            (succeeds(["docker", "image", "inspect", image]) or
             succeeds(["docker", "pull", "--quiet", image])))


class Private:
    """`with Private(cache) as daemon:` sets DOCKER_HOST for what runs inside."""

    def __init__(self, cache):
        self.data = os.path.join(cache, "docker")
        self.folder = self.process = None

    def __enter__(self):
        self._require()
        self.cleanup = contextlib.ExitStack()
        try:
            self._start()
        except BaseException:
            self.cleanup.close()
            raise
        return self

    def __exit__(self, *_):
        self.cleanup.close()

    @staticmethod
    def _require():
        if os.geteuid() != 0:
            raise CannotRun("no daemon is running that can pull images, and only root can start one")
        for program, package in PROGRAMS.items():
            if not shutil.which(program):
                raise CannotRun(f"{program} is missing (package {package})")
        if not succeeds(PROBE):
            raise KernelRefuses("the kernel refuses namespaces, mounts or bridges, so no container runs")

    def _start(self):
        os.makedirs(self.data, exist_ok=True)
        lock = self.cleanup.enter_context(open(self.data + ".lock", "w", encoding="ascii"))
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.folder = tempfile.mkdtemp(prefix="mqgate-docker-")
        self.cleanup.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self._keep_network()
        self.cleanup.callback(self._unmount)
        self.cleanup.callback(self._stop)
        for options in FALLBACKS:
            if self._launch(options):
                self.routes = "--iptables=false" not in options  # containers reach the outside
                os.environ["DOCKER_HOST"] = self.host
                self.cleanup.callback(os.environ.pop, "DOCKER_HOST", None)
                return
        raise DockerError(f"dockerd does not start: {self._last_words()}")

    @property
    def host(self):
        return f"unix://{self.folder}/docker.sock"

    def _launch(self, options):
        """Whether it answers with these options."""
        self._stop()
        with open(f"{self.folder}/log", "wb") as log:
            self.process = subprocess.Popen(
                ["dockerd", f"--host={self.host}", f"--data-root={self.data}",
                 f"--exec-root={self.folder}/run", f"--pidfile={self.folder}/pid", *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + START_TIMEOUT
        while self.process.poll() is None and time.monotonic() < end:
            if succeeds(["docker", f"--host={self.host}", "version"]):
                return True
            time.sleep(0.1)
        return False

    def _last_words(self):
        with open(f"{self.folder}/log", encoding="utf-8", errors="replace") as log:
            lines = log.read().strip().splitlines()
        return lines[-1] if lines else "it says nothing"

    def _stop(self):
        if not self.process or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)  # and its containerd
            self.process.wait()

    def _unmount(self):
        with open("/proc/self/mountinfo", encoding="utf-8") as table:
            points = [line.split()[4] for line in table]
        for point in reversed(points):
            if point.startswith((self.folder + "/", self.data + "/")):
                succeeds(["umount", "--lazy", point])

    def _keep_network(self):
        """The daemon leaves its bridge and its rules behind; unless they are another's, they go."""
        rules = run(["iptables-save"])
        with open(FORWARDING, encoding="ascii") as file:
            forwarding = file.read()
        if os.path.exists("/sys/class/net/docker0") or ":DOCKER" in rules:
            return

        def restore():
            succeeds(["ip", "link", "delete", "docker0"])
            for table in ("filter", "nat"):
                if f"*{table}" not in rules:
                    rules_of_daemon(table)
            subprocess.run(["iptables-restore"], input=rules, text=True, check=False)
            with open(FORWARDING, "w", encoding="ascii") as file:
                file.write(forwarding)

        self.cleanup.callback(restore)


def rules_of_daemon(table):
    """Empties a table that was not there before."""
    for verb in ("-F", "-X"):
        succeeds(["iptables", "-t", table, verb])
    if table == "filter":
        succeeds(["iptables", "-P", "FORWARD", "ACCEPT"])
