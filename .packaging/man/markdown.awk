# Markdown, as this project's READMEs use it, to the text of a manual page: headings (## is a
# section), paragraphs, code (fenced or indented by four), tables, lists, `code`, **bold**,
# *emphasis*, [text](link).  A row of a table becomes a term and what is said of it.
#
# Goes with roff.awk.

# --- within a line --------------------------------------------------------------------------------

# Moves what stands between two `mark`s at the beginning of `rest` to `done`, in a font.  False when
# there is no second one.
function take(mark, font,    size, end)
{
    size = length(mark)
    end = index(substr(rest, size + 1), mark)
    if (!end)
        return 0
    done = done "\\f" font roff(substr(rest, size + 1, end - 1)) "\\fR"
    rest = substr(rest, end + 2 * size)
    return 1
}

function take_link(    text)
{
    if (!match(rest, /^\[[^]]*\]\([^)]*\)/))
        return 0
    text = substr(rest, 2, index(rest, "]") - 2)
    rest = substr(rest, RLENGTH + 1)
    gsub(/`/, "", text)
    done = done "\\fI" roff(text) "\\fR"
    return 1
}

function take_mark()
{
    if (rest ~ /^`/)
        return take("`", "B")
    if (rest ~ /^\*\*[^ ]/)
        return take("**", "B")
    if (rest ~ /^\*[^ *]/)
        return take("*", "I")
    return take_link()
}

function inline(text)
{
    done = ""
    for (rest = text; rest != "";) {
        if (take_mark())
            continue
        done = done escape(substr(rest, 1, 1))
        rest = substr(rest, 2)
    }
    return protect(done)
}

# --- blocks ---------------------------------------------------------------------------------------

function end_block()
{
    if (paragraph != "")
        print inline(paragraph)
    if (code)
        print ".fi\n.RE"
    paragraph = ""
    code = table = 0
}

function begin_code()
{
    end_block()
    print ".PP\n.RS 4\n.nf"
    code = 1
}

# Cells from 1 on; a bar within a cell is written \|.
function split_row(line, cells,    n, i)
{
    gsub(/\\\|/, "\001", line)
    sub(/^\|/, "", line)
    sub(/\| *$/, "", line)
    n = split(line, cells, "|")
    for (i = 1; i <= n; i++) {
        gsub(/\001/, "|", cells[i])
        gsub(/^ +| +$/, "", cells[i])
    }
    return n
}

function table_row(line,    cells, n, i, said)
{
    n = split_row(line, cells)
    for (i = 2; i <= n; i++)
        said = said (i > 2 ? "; " : "") (n > 2 ? headings[i] ": " : "") cells[i]
    print ".TP\n" inline(cells[1]) "\n" inline(said)
}

/^ *```/ {
    if (fenced)
        end_block()
    else
        begin_code()
    fenced = !fenced
    next
}

fenced { print roff($0); next }

/^    / && paragraph == "" {
    if (!code)
        begin_code()
    print blanks roff(substr($0, 5))
    blanks = ""
    next
}

/^ *$/ && code { blanks = blanks "\n"; next } # more code may follow

/^ *$/ { end_block(); next }

{ blanks = "" }

/^#+ / {
    end_block()
    level = index($0, " ") - 1
    gsub(/^#+ *|`/, "")
    if (level == 2)
        print ".SH " toupper(roff($0))
    else if (level > 2)
        print ".SS " roff($0)
    next
}

/^\|[ :|-]*--/ { table = 2; next } # the line below a table's heading

/^\|/ && table == 2 { table_row($0); next }

/^\|/ { end_block(); table = 1; split_row($0, headings); next }

/^(- |[0-9]+\. )/ {
    end_block()
    print ".IP \\(bu 2"
    sub(/^(- |[0-9]+\. )/, "")
    paragraph = $0
    next
}

{
    if (code || table)
        end_block()
    if (paragraph == "")
        print ".PP"
    sub(/^ +/, "")
    paragraph = paragraph == "" ? $0 : paragraph " " $0
}

END { end_block() }
