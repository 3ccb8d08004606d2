# fish completion for aptune.  As in bash, commands and options are those that `aptune --help` and
# `aptune COMMAND --help` name.

function __aptune_commands
    env COLUMNS=0 aptune --help 2>/dev/null |
        string replace -rf '^  aptune ([a-z-]+) +(.*)$' '$1\t$2'
end

function __aptune_options
    set -l command (commandline -opc)[2]
    string match -qr '^-|\.spec$|^$' -- "$command"; and set command tune
    env COLUMNS=0 aptune $command --help 2>/dev/null |
        string replace -rf '^  (--[a-z0-9-]+) ?("[^"]*"|[^ ]+)? *(.*)$' '$1\t$3'
end

complete -c aptune -n __fish_use_subcommand -a '(__aptune_commands)'
complete -c aptune -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__aptune_options)'
