# Text that means nothing to the formatter.

function escape(c)
{
    if (c == "\\")
        return "\\e"
    if (c == "-")
        return "\\-"
    if (c == "^")
        return "\\(ha"
    if (c == "~")
        return "\\(ti"
    return c
}

# A line that does not begin as a request does.
function protect(text)
{
    return text ~ /^[.']/ ? "\\&" text : text
}

function roff(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return protect(text)
}
