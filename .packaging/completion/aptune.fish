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

# The words that the value of the option before may be; status 1 where it may be anything.
function __aptune_values
    switch (commandline -opc)[-1]
        case --arch
            aptune devices 2>/dev/null | string replace -rf '^.* +sm_([0-9]+)[* ].*' 'sm_$1' | sort -u
        case --cache
            string split ' ' 'warm cold both'
        case --devices
            string split ' ' 'all 0'
        case --emit
            string split ' ' 'driver driver-linked runtime none'
        case --flavour
            string split ' ' 'driver driver-linked runtime'
        case --format
            string split ' ' 't4 t4-1.1 csv'
        case --unit
            string split ' ' 'ns us ms s'
        case '*'
            return 1
    end
end

complete -c aptune -n '__aptune_values >/dev/null' -f -a '(__aptune_values)'
complete -c aptune -n __fish_use_subcommand -a '(__aptune_commands)'
complete -c aptune -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__aptune_options)'
