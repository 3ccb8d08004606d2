# A C header, as this project writes them, to the text of a manual page: its opening comment, then
# each comment with the declarations below it; "/* --- title ---" begins a section.
#
# Goes with roff.awk.

function end_code()
{
    if (code)
        print ".fi\n.RE"
    code = 0
}

function end_text()
{
    if (verbatim)
        print ".fi\n.RE"
    verbatim = 0
}

# A line of a comment, without its frame: indented ones are code.
function text_line(line)
{
    if (line ~ /^ *$/) {
        gap = 1
        return
    }
    if (line ~ /^    /) {
        if (!verbatim)
            print ".PP\n.RS 4\n.nf"
        else if (gap)
            print ""
        verbatim = 1
        print roff(substr(line, 5))
    } else {
        end_text()
        if (gap)
            print ".PP"
        line = roff(line)
        while (match(line, /`[^`]*`/))
            line = substr(line, 1, RSTART - 1) "\\fB" substr(line, RSTART + 1, RLENGTH - 2) \
                   "\\fR" substr(line, RSTART + RLENGTH)
        print protect(line)
    }
    gap = 0
}

# The text of the comment that is kept, with what is `quoted` in it as code.
function say_comment(    i)
{
    gap = 1
    for (i = 1; i <= kept; i++)
        text_line(comment[i])
    end_text()
    kept = 0
}

function add_comment(line)
{
    sub(/ *\*\/ *$/, "", line)
    comment[++kept] = line
}

BEGIN { opening = 1 }

# Comments begin at the margin; those within declarations stay there.
/^\/\* --- / {
    if (kept)
        say_comment()
    title = $0
    gsub(/^\/\* --- | -+( \*\/)?$/, "", title)
    print ".SH " toupper(roff(title))
    inside = !/\*\//
    next
}

/^\/\*/ {
    if (kept)
        say_comment()
    add_comment(substr($0, 4))
    inside = !/\*\//
    next
}

inside {
    add_comment(substr($0, 4))
    inside = !/\*\//
    if (!inside && opening) {
        say_comment()
        opening = 0
    }
    next
}

# Not part of what a caller writes.
/^#(if|endif|else|include|define APTUNE_(H|API)$)/ || /^#define APTUNE_API/ || /^extern "C"/ || /^}$/ { next }

/^ *$/ {
    if (code) {
        end_code()
        print ".RS 4"
        say_comment()
        print ".RE"
    }
    next
}

{
    if (!code)
        print ".PP\n.RS 0\n.nf\n.ft B"
    code = 1
    sub(/^APTUNE_API /, "")
    print roff($0)
}

END { end_code() }
