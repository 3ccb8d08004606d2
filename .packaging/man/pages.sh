#!/bin/sh
# Writes the manual pages: pages.sh APTUNE VERSION SOURCE FOLDER, with the program, what is in the
# checkout SOURCE, into FOLDER.  What the pages say comes from where it is said already: options from
# --help, the language of specs from its README.
set -eu
aptune=$1 version=$2 source=$3 folder=$4
here=$(dirname "$0")
export COLUMNS=0 # lines of --help as long as they are

title() { # NAME, section, what it is
    printf '.TH %s %s "" "aptune %s" "aptune"\n' "$(echo "$1" | tr '[:lower:]' '[:upper:]')" "$2" "$version"
    printf '.SH NAME\n%s \\- %s\n' "$(echo "$1" | sed 's/-/\\-/g')" "$3"
}

help() { # what --help prints: the sections of a page
    "$aptune" "$@" --help | awk -f "$here/roff.awk" -f "$here/help.awk"
}

markdown() { # FILE
    awk -f "$here/roff.awk" -f "$here/markdown.awk" "$1"
}

see_also() {
    printf '.SH SEE ALSO\n'
    printf '.BR %s' "$1"
    shift
    [ $# -eq 0 ] || printf ',\n.BR %s' "$@"
    printf '\n'
}

commands() { # name and summary, one command per line
    "$aptune" --help | sed -n 's/^  aptune \([a-z-]*\)  */\1 /p'
}

program_page() {
    title aptune 1 'GPU kernel autotuner that carves the space before it times it'
    help | sed '/^\.SH COMMANDS/,$d'
    markdown "$here/aptune.md" | sed '/^\.SH EXIT STATUS/,$d'
    help | sed -n '/^\.SH COMMANDS/,$p'
    markdown "$here/aptune.md" | sed -n '/^\.SH EXIT STATUS/,$p'
    see_also 'aptune\-tune (1)' 'aptune\-spec (5)'
}

command_page() { # NAME SUMMARY
    title "aptune-$1" 1 "$2"
    help "$1"
    see_also 'aptune (1)' 'aptune\-spec (5)'
}

spec_page() {
    title aptune-spec 5 'what is to be tuned: kernel, parameters, constraints, launch, data'
    printf '.SH DESCRIPTION\n'
    grep -v '^Every example below is read by the tests' "$source/spaces/README.md" >"$folder/spec.md"
    markdown "$folder/spec.md"
    rm "$folder/spec.md"
    see_also 'aptune (1)' 'aptune\-check (1)' 'aptune\-init (1)'
}

header_page() {
    title aptune.h 3 'GPU kernel autotuning from a program of one'"'"'s own'
    cat <<'EOF'
.SH SYNOPSIS
.nf
.B #include <aptune.h>
.PP
.B cc ... $(pkg\-config \-\-cflags \-\-libs aptune)
.fi
.SH DESCRIPTION
EOF
    awk -f "$here/roff.awk" -f "$here/header.awk" "$source/tuner/library/aptune.h" |
        sed '/^aptune\.h: GPU kernel/d' # the name says it
    see_also 'aptune (1)' 'aptune\-tune (1)' 'aptune\-spec (5)'
}

mkdir -p "$folder"
rm -f "$folder"/*.[1-9]
program_page >"$folder/aptune.1"
spec_page >"$folder/aptune-spec.5"
header_page >"$folder/aptune.h.3"
commands | while read -r name summary; do
    command_page "$name" "$summary" >"$folder/aptune-$name.1"
done
