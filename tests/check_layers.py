#!/usr/bin/env python3
"""Checks that the folders include each other only in the allowed directions, that libraries
stay where they belong, that each .c file includes its own header first, and that every header
compiles by itself.

    tests/check_layers.py                        all checks, headers with cc
    tests/check_layers.py --only includes
    tests/check_layers.py --only headers --compiler clang -- -DMQ_CHECKS=1
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Who may include whom. Every folder may include itself.
ALLOWED = {
    "base": set(),
    "wire": {"base"},
    "sql": {"base"},
    "capture": {"base"},
    "config": {"base"},
    "vschema": {"base", "config"},
    "routing": {"base", "config", "sql", "vschema"},
    "merge": {"base", "wire", "routing"},
    "placement": {"base", "config", "vschema"},
    "proxy": {"base", "wire", "config", "sql", "vschema", "routing", "merge", "placement"},
    "queue": {"base", "vschema"},
    "cli": {"base", "wire", "config", "sql", "vschema", "routing", "merge", "placement", "proxy", "queue",
            "capture"},
}

# Headers of libraries, and of waiting, that only some folders may use.
RESTRICTED = [
    (r"event2?/.*|event\.h|evutil\.h", "libevent", {"proxy"}),
    (r"yaml\.h", "libyaml", {"config"}),
    (r"pcre2\.h", "PCRE2", {"config"}),
    (r"jansson\.h", "jansson", {"capture", "vschema", "cli"}),
    (r"(mysql|mariadb)/.*|mysql\.h|errmsg\.h|mysqld_error\.h", "libmysqlclient",
     {"placement", "queue", "cli"}),
    (r"xxhash\.h", "xxHash", {"vschema", "placement"}),
    (r"uthash\.h|utlist\.h", "uthash", {"base", "vschema", "routing", "placement", "proxy", "cli"}),
    (r"openssl/.*", "OpenSSL", {"wire", "vschema", "proxy"}),
    (r"sys/(socket|epoll|eventfd)\.h|netinet/.*|netdb\.h|poll\.h", "sockets",
     {"placement", "proxy", "queue", "cli"}),
    (r"arpa/inet\.h", "addresses as text", {"base"}),
    (r"sanitizer/.*", "the sanitizers", {"base"}),
    (r"pthread\.h|threads\.h", "threads", {"base", "placement", "proxy", "queue", "cli"}),
]

# C11 and POSIX: what is neither here nor restricted above is a library nobody has agreed on.
SYSTEM = re.compile(
    r"(assert|ctype|dirent|errno|fcntl|float|inttypes|iso646|limits|locale|math|netdb|"
    r"pwd|grp|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|"
    r"stdnoreturn|string|strings|time|unistd|wchar|getopt|regex|fnmatch|glob|sched|syslog|"
    r"malloc|termios|endian|byteswap|sys/(types|stat|un|time|wait|mman|uio|resource|ioctl|file|random|"
    r"signalfd|timerfd|prctl|syscall|utsname))\.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def source_files(*endings):
    for folder in ALLOWED:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if name.endswith(endings):
                    yield os.path.relpath(os.path.join(path, name), ROOT)


def includes(path):
    """(line number, "quoted" or None, <system> or None) of each include line."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(1), match.group(2)


def own_fault(path, target):
    """What is wrong with an include of one of our own files, or None."""
    folder = path.split("/")[0]
    their_folder, slash, name = target.partition("/")
    if not slash or their_folder not in ALLOWED:
        return f'"{target}" is not written with its folder'
    if not os.path.exists(os.path.join(ROOT, target)):
        return f'"{target}" does not exist'
    if their_folder == folder:
        return None
    if their_folder not in ALLOWED[folder]:
        return f'{folder}/ may not include "{target}"'
    if name.endswith("_int.h"):
        return f'"{target}" is internal to {their_folder}/'
    return None


def system_fault(path, target):
    """What is wrong with an include of a library or of the system, or None."""
    folder = path.split("/")[0]
    for pattern, library, folders in RESTRICTED:
        if re.fullmatch(pattern, target):
            if folder in folders:
                return None
            return f"<{target}>: {library} is for {', '.join(sorted(folders))} only"
    return None if SYSTEM.fullmatch(target) else f"<{target}>: not a library that is agreed on"


def check_file(path):
    """All faults of one file, as printed."""
    lines = list(includes(path))
    for number, own, system in lines:
        fault = own_fault(path, own) if own else system_fault(path, system)
        if fault:
            yield f"{path}:{number}: {fault}"
    # A foo_int.h, which is for the folder and includes foo.h, may stand in its place.
    header = path[:-2] + ".h"
    if path.endswith(".c") and os.path.exists(os.path.join(ROOT, header)):
        if not lines or lines[0][1] not in (header, path[:-2] + "_int.h"):
            yield f'{path}: does not include its own "{header}" first'


def check_includes():
    files = list(source_files(".c", ".h", ".def"))
    return len(files), [fault for path in files for fault in check_file(path)]


def package_flags():
    """Where the libraries' headers are."""
    packages = ["yaml-0.1", "libpcre2-8", "jansson", "libxxhash", "libcrypto", "libevent_core"]
    flags = []
    for package in [*packages, "mysqlclient", "libmariadb"]:
        result = subprocess.run(["pkg-config", "--cflags", package], capture_output=True,
                                text=True, check=False)
        flags += result.stdout.split()
    return flags


def check_headers(compiler, extra):
    """Compiles each header by itself, twice over so that its guard is tried as well."""
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{ROOT}",
             *package_flags(), *extra]
    headers = list(source_files(".h"))

    def compile_alone(header):
        unit = f'#include "{header}"\n#include "{header}"\nextern int not_empty;\n'
        result = subprocess.run([compiler, *flags, "-x", "c", "-"], input=unit, text=True,
                                capture_output=True, check=False, cwd=ROOT)
        if result.returncode == 0:
            return []
        return [f"{header}: does not compile alone with {compiler}:\n{result.stderr.rstrip()}"]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return len(headers), [f for faults in pool.map(compile_alone, headers) for f in faults]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["includes", "headers"])
    parser.add_argument("--compiler", action="append", metavar="CC",
                        help="for the headers; may be repeated (default: cc)")
    parser.add_argument("flags", nargs="*", help="further flags of the compiler, after --")
    args = parser.parse_args()

    faults = []
    if args.only != "headers":
        count, found = check_includes()
        faults += found
        print(f"{count} files: {len(found)} include lines against the layers")
    if args.only != "includes":
        for compiler in args.compiler or ["cc"]:
            count, found = check_headers(compiler, args.flags)
            faults += found
            print(f"{count} headers: {len(found)} that {compiler} does not compile alone")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
