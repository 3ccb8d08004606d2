#!/usr/bin/env bats
# What is installed works where it lies, and again where it is moved to; manual pages and completion
# say what the program says.
load common

build=$(dirname "$APTUNE")

setup_file() {
    export PREFIX="$BATS_FILE_TMPDIR/a prefix"
    cmake --install "$build" --prefix "$PREFIX" >/dev/null
}

# Completes the words given; the last one is under the cursor.
complete_words() {
    run --separate-stderr bash -c '
        set -eu
        compopt() { :; } # there is no line being edited
        source "$1"
        shift
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _aptune
        printf "%s\n" ${COMPREPLY[@]+"${COMPREPLY[@]}"} | LC_ALL=C sort' \
        - "$PREFIX/share/bash-completion/completions/aptune" "$PREFIX/bin/aptune" "$@"
    status_is 0
    [ -z "$stderr" ]
}

# A page as text, on lines as long as they like.
page() {
    MANWIDTH=200 man -l --warnings=w -E UTF-8 "$1" 2>"$BATS_TEST_TMPDIR/warnings" | col -bx
    [ ! -s "$BATS_TEST_TMPDIR/warnings" ]
}

commands() { "$APTUNE" --help | sed -n 's/^  aptune \([a-z]*\) .*/\1/p'; }

@test "the installed program finds helpers, metrics and the spaces that come along" {
    run --separate-stderr "$PREFIX/bin/aptune" --version
    status_is 0
    has "$output" "^  helpers   $PREFIX/libexec/aptune$"
    has "$output" "^  metrics   $PREFIX/share/aptune/metrics$"
    run --separate-stderr "$PREFIX/bin/aptune" --no-gpu --space "$PREFIX/share/aptune/spaces/saxpy.spec"
    status_is 0
    has "$output" "^times      REPLAYED from $PREFIX/share/aptune/spaces/recordings/saxpy-h200.times.zst"
}

@test "an installation that is moved works as before" {
    cp -r "$PREFIX" "moved to"
    run --separate-stderr "moved to/bin/aptune" --version
    status_is 0
    has "$output" '/moved to/libexec/aptune$'
    lacks "$output" "a prefix"
}

@test "every command has a manual page that holds its summary and each of its options" {
    { command -v man && command -v col; } >/dev/null || skip "no man or col"
    for command in $(commands); do
        page "$PREFIX/share/man/man1/aptune-$command.1" >page
        "$APTUNE" --help | sed -n "s/^  aptune $command *//p" >summary
        grep -qF -e "aptune-$command - $(cat summary)" page
        "$APTUNE" "$command" --help | sed -nE 's/^  (--?[A-Za-z0-9-]+).*/\1/p' | sort >said
        sed -nE 's/^ {7}(--?[A-Za-z0-9-]+).*/\1/p' page | sort >shown
        diff said shown
    done
}

@test "the program's own page lists the commands; that of specs has all statements" {
    { command -v man && command -v col; } >/dev/null || skip "no man or col"
    page "$PREFIX/share/man/man1/aptune.1" >page
    diff <(commands) <(sed -nE 's/^ *aptune-([a-z]*)\(1\)( .*)?$/\1/p' page | head -n "$(commands | wc -l)")
    page "$PREFIX/share/man/man5/aptune-spec.5" >page
    for statement in kernel block grid problem param let require reference carve polish; do
        grep -qE "^ *$statement +=" page
    done
    lacks "$(cat page)" '`|\]\([a-z]' # nothing of Markdown is left
}

@test "the program's page names every variable of the environment that is asked for" {
    { command -v man && command -v col; } >/dev/null || skip "no man or col"
    page "$PREFIX/share/man/man1/aptune.1" >page
    grep -rhoE 'getenv\("[A-Z_]+"\)' "$SOURCE/tuner" | sed -E 's/.*"(.*)".*/\1/' | sort -u >variables
    [ -s variables ]
    while read -r variable; do
        grep -qw "$variable" page || { echo "not in the page: $variable"; false; }
    done <variables
}

@test "the library's page has each function of its header with what is said of it" {
    { command -v man && command -v col; } >/dev/null || skip "no man or col"
    page "$PREFIX/share/man/man3/aptune.h.3" >page
    sed -nE 's/^APTUNE_API .*\**(aptune_[a-z_]+)\(.*/\1/p' "$PREFIX/include/aptune.h" >functions
    [ "$(wc -l <functions)" -gt 20 ]
    while read -r function; do
        grep -qE "^ {7}[a-z].*[ *]$function\(" page
    done <functions
    lacks "$(cat page)" 'APTUNE_API|/\* ---'
}

@test "completion knows commands and every option of each" {
    complete_words ''
    [ "$output" = "$(commands | LC_ALL=C sort)" ]
    complete_words in
    [ "$output" = "$(printf 'init\ninspect')" ]
    touch my.spec my.cu my.txt
    complete_words my
    [ "$output" = "$(printf 'my.cu\nmy.spec')" ]
    complete_words my.spec --arc
    [ "$output" = --arch ]
    rm my.*
    for command in $(commands); do
        complete_words "$command" --
        [ "$output" = "$("$APTUNE" "$command" --help | sed -nE 's/^  (--[a-z0-9-]+).*/\1/p' | LC_ALL=C sort)" ]
    done
    complete_words --ver
    [ "$output" = --version ]
}

@test "completion of a value: specs, devices, words of a choice" {
    mkdir 'a folder'
    touch mm.spec 'my own.spec' mm.cu x.times x.times.zst
    complete_words --space ''
    [ "$output" = "$(printf 'a folder\nmm.spec\nmy own.spec')" ]
    complete_words tune --space = m
    [ "$output" = "$(printf 'mm.spec\nmy own.spec')" ]
    complete_words tune --arch sm_9
    has "$output" '^sm_90$'
    complete_words tune --cache ''
    [ "$output" = "$(printf 'both\ncold\nwarm')" ]
    complete_words tune --output ''
    [ "$output" = 'a folder' ]
    complete_words import --space ''
    [ -z "$output" ]
    touch mm.json
    complete_words bench --emitted m
    [ "$output" = mm.json ]
    complete_words study --guess bound_c
    [ "$output" = bound_cycles ]
    complete_words emit --flavour driver-
    [ "$output" = driver-linked ]
}

@test "completion of an argument: what the command reads" {
    mkdir d
    touch mm.spec mm.cu mm.json mm.ptx x.times x.times.zst
    complete_words check ''
    [ "$output" = "$(printf 'd\nmm.spec')" ]
    complete_words init ''
    [ "$output" = "$(printf 'd\nmm.cu')" ]
    complete_words study x
    [ "$output" = "$(printf 'x.times\nx.times.zst')" ]
}

# The options of a command as its help has them.
options_of() { "$APTUNE" "$1" --help | sed -nE 's/^  (--[a-z0-9-]+).*/\1/p' | LC_ALL=C sort; }

# The words that bash knows for values, "--cache warm cold both".
value_words() { sed -nE "s/^ *(--[a-z]+)\) _aptune_words '(.*)' ;;/\1 \2/p" "$PREFIX/share/bash-completion/completions/aptune"; }

@test "zsh completes every option of each command, and the same values as bash" {
    command -v zsh >/dev/null || skip "no zsh"
    for command in $(commands); do
        zsh -f -c 'words=("$1" "$2" --); CURRENT=3
            _arguments() { print -l -- "$@"; }
            source "$3"' - "$APTUNE" "$command" "$PREFIX/share/zsh/site-functions/_aptune" >"$command.zsh"
        sed -nE 's/^(--[a-z0-9-]+).*/\1/p' "$command.zsh" | LC_ALL=C sort | diff - <(options_of "$command")
    done
    value_words >values
    [ "$(wc -l <values)" -ge 6 ]
    while read -r option words; do
        grep -qF "words[\"$option\"] = \"$words\"" "$PREFIX/share/zsh/site-functions/_aptune"
    done <values
    grep -qF ':F:(driver driver-linked runtime)' emit.zsh
    grep -qE ':NAME:\(.*sm_90 ' tune.zsh
}

@test "fish completes every option of each command, and the same values as bash" {
    command -v fish >/dev/null || skip "no fish"
    cat >ask.fish <<'END'
source $argv[1]
for line in $argv[2..-1]
    complete -C "$line" | string replace -r '\t.*' ''
end
END
    ask() { PATH=$(dirname "$APTUNE"):$PATH HOME=$PWD fish ask.fish "$PREFIX/share/fish/vendor_completions.d/aptune.fish" "$@"; }
    for command in $(commands); do
        ask "aptune $command --" | LC_ALL=C sort | diff - <(options_of "$command")
    done
    value_words | while read -r option words; do
        [ "$(ask "aptune tune $option " | LC_ALL=C sort)" = "$(tr ' ' '\n' <<<"$words" | LC_ALL=C sort)" ]
    done
    has "$(ask 'aptune tune --arch sm_9')" '^sm_90$'
    has "$(ask 'aptune in')" '^inspect$'
}

@test "the Debian package names the libraries it needs, holds what is installed, and goes without a trace" {
    command -v dpkg-shlibdeps >/dev/null || skip "no dpkg-shlibdeps"
    [ "$(id -u)" -eq 0 ] || skip "dpkg wants root"
    cpack -G DEB --config "$build/CPackConfig.cmake" -B "$PWD" \
        -D CPACK_DEBIAN_COMPRESSION_TYPE=none >log 2>&1 || { cat log; false; }
    local package
    package=$(echo aptune_*.deb)
    run dpkg-deb --field "$package" Depends
    for library in libc6 libgsl libjansson4 libxxhash0 libzstd1 zlib1g; do
        has "$output" "(^|, )$library"
    done
    mkdir -p root/var/lib/dpkg/updates root/var/lib/dpkg/info
    touch root/var/lib/dpkg/status
    # small systems leave out manuals
    dpkg --root="$PWD/root" --path-include='/*' --force-depends --log=/dev/null -i "$package" >log 2>&1 || { cat log; false; }
    diff <(cd "$PREFIX" && find . -type f | grep -v '^./share/man/' | sort) \
        <(cd root/usr && find . -type f | grep -vE '^./share/(man/|doc/aptune/(copyright|changelog))' | sort)
    gzip -t root/usr/share/man/man1/aptune.1.gz root/usr/share/doc/aptune/changelog.gz
    [ -s root/usr/share/doc/aptune/copyright ]
    dpkg --root="$PWD/root" --log=/dev/null -P aptune >log 2>&1 || { cat log; false; }
    [ ! -e root/usr ] || [ -z "$(find root/usr)" ]
}

# --- aptune_add_kernel ----------------------------------------------------------------------------

# A project in "my project" that builds a kernel of the synthetic space in.  Its program prints which
# variant is for a size on a device, which needs no GPU.
make_project() {
    mkdir "my project"
    cd "my project" || return
    make_synthetic
    sed -i 's|^#define WEIGHT.*|#include "weight.h"|' space/synthetic.cu
    echo '#define WEIGHT 3.0f' >space/weight.h
    rm space/recordings/*
    "$tests/synthetic_recording" --right space/synthetic.spec space/recordings
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES C)
find_package(aptune 0.1 REQUIRED)
aptune_add_kernel(kernels SPEC space/synthetic.spec PREFIX mine_ ${more})
add_executable(main main.c)
target_link_libraries(main PRIVATE kernels)
target_compile_options(main PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Werror)
END
    cat >main.c <<'END'
#include "synthetic.h"
#include <stdio.h>
int main(void)
{
    mine_problem problem = {65536};
    mine_choice choice;
    int status = mine_choose_for("some device", 90, &problem, &choice);
    printf("%s: %s\n", mine_status_text(status), status == MINE_OK ? choice.parameters : "none");
    return status;
}
END
}

configure() {
    cmake -S . -B build -G "${generator:-Ninja}" -DCMAKE_PREFIX_PATH="$PREFIX" "$@" >log 2>&1 ||
        { cat log; return 1; }
}

# Builds, and says whether the kernel was emitted on the way.
builds() {
    cmake --build build >log 2>&1 || { cat log; return 1; }
    if grep -q 'Emitting the kernel' log; then echo emitted; else echo kept; fi
}

@test "a project builds a tuned kernel in, and again only when what it comes from changes" {
    make_project
    for generator in Ninja 'Unix Makefiles'; do
        command -v "$([ "$generator" = Ninja ] && echo ninja || echo make)" >/dev/null || continue
        rm -rf build
        configure
        [ "$(builds)" = emitted ]
        [ "$(builds)" = kept ]
        run build/main
        status_is 0
        has "$output" 'THREADS=[0-9]+ EACH=[0-9]+$'
        for file in space/synthetic.spec space/synthetic.cu space/weight.h \
            space/recordings/synthetic.times; do
            touch "$file"
            [ "$(builds)" = emitted ]
        done
        touch main.c
        [ "$(builds)" = kept ]
    done
}

@test "a stale recording fails the build with aptune's words, or is accepted and said" {
    make_project
    echo '#define WEIGHT 4.0f' >space/weight.h
    configure
    run cmake --build build
    [ "$status" -ne 0 ]
    has "$output" 'aptune: .*stale|error: .*stale'
    configure -Dmore=ALLOW_STALE
    cmake --build build >log 2>&1 || { cat log; false; }
    has "$(cat log)" 'warning: .* is stale'
    has "$(cat build/aptune/synthetic/synthetic.h)" '[Ss]tale|STALE'
}

@test "a recording that is new beside the spec is taken up; one that is listed has to be there" {
    make_project
    mkdir kept
    mv space/recordings/* kept
    configure -Dmore='RECORDINGS;kept/synthetic.times'
    [ "$(builds)" = emitted ]
    rm -rf build
    cp kept/* space/recordings
    configure
    [ "$(builds)" = emitted ]
    cp space/recordings/synthetic.times space/recordings/again.times
    cp space/recordings/synthetic.profile space/recordings/again.profile
    [ "$(builds)" = emitted ]
    [ "$(builds)" = kept ]
    rm -rf build
    run configure -Dmore='RECORDINGS;nowhere.times'
    status_is 1
    has "$output" "no recording 'nowhere.times'"
}

@test "the package of an installation that was moved works, at a path with blanks" {
    cp -r "$PREFIX" "moved to"
    make_project
    PREFIX="$PWD/../moved to"
    configure
    [ "$(builds)" = emitted ]
    build/main
    lacks "$(cat build/CMakeCache.txt)" 'a prefix'
}

@test "several kernels go into one library, under names of their own" {
    make_project
    cat >>CMakeLists.txt <<'END'
aptune_add_kernel(kernels SPEC space/synthetic.spec NAME other DEFAULT 1)
END
    cat >main.c <<'END'
#include "other.h"
#include "synthetic.h"
#include <string.h>
int main(void)
{
    mine_choice mine;
    other_choice other;
    mine_problem mine_size = {65536};
    other_problem other_size = {65536};
    return mine_choose_for("any", 90, &mine_size, &mine) ||
           other_choose_for("any", 90, &other_size, &other) ||
           strcmp(mine.parameters, other.parameters) != 0;
}
END
    configure
    [ "$(builds)" = emitted ]
    build/main
}

@test "what aptune_add_kernel is given wrongly is refused with a reason" {
    make_project
    while IFS='|' read -r more words; do
        rm -rf build
        run configure -Dmore="$more"
        status_is 1
        has "$(tr -s ' \n' ' ' <<<"$output")" "$words"
    done <<'END'
FLAVOUR;runtime|the project needs the language: project\(\.\.\. LANGUAGES C CUDA\)
FLAVOUR;vulkan|FLAVOUR is driver, driver-linked or runtime, not 'vulkan'
UNKNOWN|what is meant by 'UNKNOWN'
END
}

@test "pkg-config and find_package lead to the library, wherever it lies" {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    cat >main.c <<'END'
#include <aptune.h>
#include <stdio.h>
int main(void)
{
    return puts(aptune_version()) < 0;
}
END
    cp -r "$PREFIX" moved
    export PKG_CONFIG_PATH=$PWD/moved/lib/pkgconfig
    [ "$(pkg-config --modversion aptune)" = "$("$APTUNE" --version | sed -n '1s/aptune //p')" ]
    local sanitize
    sanitize=$(nm -D moved/lib/libaptune.so 2>/dev/null | grep -q __asan_init && echo -fsanitize=address,undefined) || true
    # shellcheck disable=SC2046,SC2086
    cc $sanitize -o main main.c $(pkg-config --cflags --libs aptune)
    [ "$(LD_LIBRARY_PATH=moved/lib ./main)" = "$(pkg-config --modversion aptune)" ]
    # shellcheck disable=SC2046,SC2086
    cc $sanitize -o static main.c $(pkg-config --cflags aptune) moved/lib/libaptune.a \
        $(pkg-config --static --libs aptune | sed 's/-laptune//')
    [ "$(./static)" = "$(pkg-config --modversion aptune)" ]
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(mine LANGUAGES C)
find_package(aptune REQUIRED)
foreach(library aptune static)
  add_executable(with_${library} main.c)
  target_link_libraries(with_${library} PRIVATE aptune::${library})
endforeach()
END
    PREFIX=$PWD/moved
    configure
    cmake --build build >log 2>&1 || { cat log; false; }
    for program in build/with_aptune build/with_static; do
        [ "$($program)" = "$(pkg-config --modversion aptune)" ]
    done
    [ "$(ldd build/with_static | grep -c libaptune)" -eq 0 ]
}
