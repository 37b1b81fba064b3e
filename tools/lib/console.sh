# shellcheck shell=bash
# How the tools talk: sourced by bash scripts. Colours only on a terminal, none if NO_COLOR is set.

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' yellow=$'\e[33m' plain=$'\e[0m'
else
    bold='' dim='' green='' red='' yellow='' plain=''
fi

# A failure that ends the tool; the message says what to do about it.
die() {
    echo "${red}${0##*/}:${plain} $*" >&2
    exit 1
}

# ask QUESTION: yes unless answered with no. Without a terminal nobody is there to answer: yes.
ask() {
    local answer
    [ -t 0 ] && [ -t 1 ] || return 0
    read -r -p "$1 [Y/n] " answer
    case $answer in
    '' | [Yy]*) return 0 ;;
    *) return 1 ;;
    esac
}
