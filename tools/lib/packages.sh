# shellcheck shell=bash
# Which Debian packages mqgate needs for what, and how the tools install the missing ones.
# Sourced by bash scripts, after console.sh.

# An entry is package, or package=command where the command may also come from elsewhere.
packages_build=(
    gcc libc6-dev cmake=cmake ninja-build=ninja pkg-config=pkg-config
    libevent-dev libyaml-dev libpcre2-dev libjansson-dev libxxhash-dev uthash-dev libssl-dev
    default-libmysqlclient-dev libcmocka-dev
)
# The core package has the server's programs without starting a service.
packages_run=(mariadb-server-core mariadb-client-core=mariadb python3=python3)
packages_test=(
    clang=clang libclang-rt-14-dev golang-go=go python3-venv mmdebstrap=mmdebstrap
    mariadb-test mariadb-test-data
    docker.io=dockerd docker-compose iptables iproute2=ip
    python3-dev nodejs=node npm=npm default-jdk-headless=javac maven=mvn cargo=cargo
)

# missing_packages ENTRY…: those that are not there, one a line.
missing_packages() {
    local entry package
    for entry in "$@"; do
        package=${entry%%=*}
        [ "$package" = "$entry" ] || ! command -v "${entry#*=}" >/dev/null || continue
        dpkg-query -W -f '${db:Status-Abbrev}\n' "$package" 2>/dev/null | grep -q '^ii' ||
            echo "$package"
    done
}

# as_root COMMAND…
as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "installing packages needs root, or sudo"
    fi
}

# install_packages YES ENTRY…: installs what is missing. Asks first unless YES is 1.
install_packages() {
    local yes=$1 missing
    shift
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "Not a Debian system: these must be there already: ${*%%=*}"
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    if [ ${#missing[@]} = 0 ]; then
        echo "All packages that it needs are installed."
        return 0
    fi
    echo "These packages are missing: ${missing[*]}"
    [ "$yes" = 1 ] || ask "Install them with apt-get?" || return 1
    as_root apt-get update -qq || echo "${yellow}apt-get update failed; going on${plain}"
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        die "apt-get could not install: ${missing[*]}"
}
