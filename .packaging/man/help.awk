# What `aptune COMMAND --help` prints, to the sections SYNOPSIS, DESCRIPTION and OPTIONS of a manual
# page, or COMMANDS of that of the program itself.  What --help says is thus said once.
#
# Goes with roff.awk.

function section(title)
{
    if (at != title)
        print ".SH " title
    at = title
}

# A term and what is said of it.
function entry(term, said)
{
    print ".TP\n" term "\n" protect(said)
}

# "--name VALUE   meaning": a value stands one blank behind the name, its meaning further off.
function option(line,    name, value, said)
{
    match(line, /^ *--?[A-Za-z0-9-]+/)
    name = substr(line, 1, RLENGTH)
    sub(/^ */, "", name)
    line = substr(line, RLENGTH + 1)
    if (match(line, /^ ("[^"]*"|[^ ]+)/)) {
        value = substr(line, 2, RLENGTH - 1)
        line = substr(line, RLENGTH + 1)
    }
    sub(/^ */, "", line)
    entry("\\fB" roff(name) "\\fR" (value == "" ? "" : " \\fI" roff(value) "\\fR"), roff(line))
}

/^(usage:|       )aptune / || /^usage: / {
    section("SYNOPSIS")
    sub(/^(usage:| *)/, "")
    sub(/^ */, "")
    if (match($0, /   +/)) { # a form of the command, and what it does
        entry("\\fB" roff(substr($0, 1, RSTART - 1)) "\\fR", roff(substr($0, RSTART + RLENGTH)))
        next
    }
    print (++forms > 1 ? ".br\n" : "") "\\fB" roff($0) "\\fR"
    next
}

/^  aptune / {
    section("COMMANDS")
    name = $2
    sub(/^  aptune [^ ]+ +/, "")
    entry("\\fBaptune\\-" roff(name) "\\fR(1)", roff($0))
    next
}

/^  --?[A-Za-z]/ { section("OPTIONS"); option($0); next }

/^         / && at == "OPTIONS" { # goes on with what was said of the option
    sub(/^ */, "")
    print ".br\n" roff($0)
    next
}

/^`aptune COMMAND --help`/ { next } # the pages say it

/^ *$/ { next }

# A paragraph begins where indenting does, at "WORD: what it is", and behind such a line.
{
    if (at != "DESCRIPTION")
        section("DESCRIPTION")
    else if ($0 ~ /^  / && !indented || $0 ~ /^ *[A-Z]+: / || word && $0 ~ /^ *[A-Z]/)
        print ".PP"
    indented = $0 ~ /^  /
    word = $0 ~ /^ *[A-Z]+: /
    sub(/^ */, "")
    print roff($0)
}
