#!/usr/bin/env bats
# libaptune as files: what it exports, and a program of somebody else's that is linked with it where
# it was installed.
load common

build=$(dirname "$APTUNE")

# Flags for linking with a library that was built with sanitizers.
sanitizers() {
    if nm -D --undefined-only "$build/libaptune.so" | grep -q __asan_init; then
        echo -fsanitize=address,undefined
    fi
}

# What the library needs itself, for linking with the static one.
needed() { echo -ljansson -lzstd -lgsl -lgslcblas -lxxhash -lz -lm -ldl -lpthread; }

# A program that replays a space, prints the winner and one metric of it; its own functions are
# called as some inside the library are.
write_host() {
    cat >host.c <<'END'
#include <aptune.h>
#include <stdio.h>
int buf_puts(const char *text);
int arena_new(void);
int diag_fail(void);
int buf_puts(const char *text) { return puts(text); }
int arena_new(void) { return 41; }
int diag_fail(void) { return arena_new() + 1; }
int main(int argc, char **argv)
{
    aptune *a = aptune_new();
    if (argc < 3 || aptune_set(a, "space", argv[1]) || aptune_set(a, "no-gpu", NULL) ||
        aptune_tune(a) || diag_fail() != 42)
        return fprintf(stderr, "%s\n", aptune_message(a)), 1;
    buf_puts(aptune_name(a, aptune_best(a)));
    printf("%g\n", aptune_metric(a, aptune_best(a), argv[2]));
    aptune_free(a);
    return 0;
}
END
}

# Installs into ./prefix, without what takes long and is tested elsewhere.
install_prefix() {
    cmake --install "$build" --prefix "$PWD/prefix" >/dev/null
    library=$(dirname "$(find "$PWD/prefix" -name libaptune.a)")
}

@test "both libraries export the functions of the header, each of them, and nothing else" {
    grep -o 'aptune_[a-z_]*(' "$SOURCE/tuner/library/aptune.h" | tr -d '(' | sort -u >named
    grep 'APTUNE_API' "$SOURCE/tuner/library/aptune.h" | grep -o 'aptune_[a-z_]*(' | tr -d '(' |
        sort -u >declared
    [ "$(wc -l <declared)" -gt 50 ]
    [ -z "$(comm -23 declared named)" ]
    nm -D --defined-only "$build/libaptune.so" | awk '$2 ~ /[TDBRWV]/ { print $3 }' |
        grep -v '^__\|^_init$\|^_fini$' | sort -u >shared
    diff declared shared
    nm -g --defined-only "$build/libaptune.a" | awk 'NF == 3 { print $3 }' |
        grep -v '^__\|^_GLOBAL_\|^\.' | sort -u >static
    diff declared static
}

@test "an interface number that the file's name has" {
    number=$(sed -n 's/^#define APTUNE_INTERFACE //p' "$SOURCE/tuner/library/aptune.h")
    readelf -d "$build/libaptune.so" | grep -q "SONAME.*\[libaptune.so.$number\]"
}

@test "a program finds helpers and data of the installed library, moved, from anywhere, by a link" {
    install_prefix
    write_host
    # Nothing of the source tree has this metric.
    echo 'metric only_here lower "1" "A mark." = 12345' >>prefix/share/aptune/metrics/cycles.metrics
    # shellcheck disable=SC2046
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror $(sanitizers) host.c -o host -Iprefix/include \
        -L"$library" -laptune
    mkdir -p elsewhere/deep moved
    mv prefix moved/root
    library=${library/$PWD\/prefix/$PWD\/moved\/root}
    ln -s "$library" elsewhere/lib
    cd elsewhere/deep
    LD_LIBRARY_PATH=../lib run --separate-stderr ../../host \
        "$SOURCE/spaces/transpose-tutorial.spec" only_here
    status_is 0
    has "$output" '^VARIANT='
    has "$output" '^12345$'
}

@test "a program with functions of the same names as some inside links with the static library" {
    install_prefix
    write_host
    echo 'metric only_here lower "1" "A mark." = 12345' >>prefix/share/aptune/metrics/cycles.metrics
    # shellcheck disable=SC2046
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror $(sanitizers) host.c -o host -Iprefix/include \
        "$library/libaptune.a" $(needed)
    APTUNE_HOME=$PWD/prefix run --separate-stderr ./host \
        "$SOURCE/spaces/transpose-tutorial.spec" only_here
    status_is 0
    has "$output" '^12345$'
}
