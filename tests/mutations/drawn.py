"""Single mutations drawn by chance, and which tests reach them.

Each line of C of tuner/ and metrics/ in which something can be changed is as likely as any other, then
each change of that line.  The program's text is formatted, so operators are known by the spaces around them.
"""
import random, re

# What is emitted is held by checksums of it; what vendors' libraries do needs them.
left_out = re.compile(r"^tuner/(emit/unit|gpu/rivals)/")
operators = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-",
             "-": "+", "*": "/", "/": "*", "%": "/", "&": "|", "|": "&", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+="}
operator = re.compile(r" (" + "|".join(re.escape(o) for o in sorted(operators, key=len, reverse=True)) + r") ")
operand = r"!?[\w.>-]+(?:\[[^][]*\])?(?:\([^()]*\))?"
term = re.compile(rf" (?:&&|\|\||[-+*/&|]) {operand}(?=[,;) ])")
first_term = re.compile(rf"(?<=[(=,] ){operand} (?:&&|\|\||[+*&|]) |(?<=\(){operand} (?:&&|\|\||[+*&|]) ")
number = re.compile(r"(?<![\w.\"'])(\d+)(u?l{0,2})(?![\w.\"'])", re.I)
fraction = re.compile(r"(?<![\w.])(\d+\.\d*(?:e-?\d+)?|\d+e-?\d+)(?![\w.])")
statement = re.compile(r"^(\s+)(?!return|else|case|if|for|while)([\w.>*()\[\]-]*\w[\w.>\[\]-]*(\(| [-+*/|&]?= |\+\+|--)|\*\w+ = |break|continue).*;$")
pair = re.compile(r"(?<=\w\()([\w.>&-]+), ([\w.>&-]+)(?=[,)])")
condition = re.compile(r"\b(if|while) \((.*)\)( \{)?$")
literal = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')


def change_line(line, before):
    """The lines that one change makes of `line`, which `before` stands before."""
    code = literal.sub(lambda m: m[0][0] + "\0" * (len(m[0]) - 2) + m[0][0], re.sub(r"\s*(/\*.*|//.*)$", "", line))
    if re.match(r"\s*($|#|\*|/\*|enum \{|static_assert|_Static_assert)", code):
        return []

    def at(m, new):
        return line[:m.start()] + new + line[m.end():]
    made = [at(m, f" {operators[m[1]]} ") for m in operator.finditer(code)]
    made += [at(m, str(int(m[1]) + 1) + m[2]) for m in number.finditer(code)]
    made += [at(m, f"1.1 * {m[1]}") for m in fraction.finditer(code)]
    made += [at(m, "false" if m[0] == "true" else "true") for m in re.finditer(r"\b(true|false)\b", code)]
    made += [at(m, "") for expression in (term, first_term) for m in expression.finditer(code)]
    made += [at(m, f"{m[2]}, {m[1]}") for m in pair.finditer(code) if m[1] != m[2]]
    made += [at(m, f"{m[1]} (!({line[m.start(2):m.end(2)]})){m[3] or ''}") for m in condition.finditer(code)]
    if statement.match(code) and re.search(r"([;{}:]|\))$|\*/$|^\s*(else|do)$|^\s*$", before):
        made.append(re.match(r"\s*", line)[0] + ";")
    return made


def sources(tree):
    for path in sorted(p for f in ("tuner", "metrics") for p in (tree / f).rglob("*.c")):
        if not left_out.search(str(path.relative_to(tree))):
            yield path


def draw(tree, seed):
    """Mutations in a random order, each of another line: path, line's index, its text, the new text."""
    lines = []
    for path in sources(tree):
        text, comment = path.read_text().split("\n"), False
        for i, line in enumerate(text):
            comment = comment or bool(re.match(r"\s*/\*", line))
            if not comment and (made := change_line(line, text[i - 1])):
                lines.append((path, i, line, made))
            comment = comment and "*/" not in line
    chance = random.Random(seed)
    chance.shuffle(lines)
    return [(path, i, line, chance.choice(made)) for path, i, line, made in lines]


def function_at(text, begin):
    """Name of the function whose brace is line `begin`."""
    while not (m := re.match(r"\w[^(]*?(\w+)\(", text[begin])):
        begin -= 1
    return m[1]


def functions_of(path, i):
    """Names of the functions that line i is in: of all of the file where it is in none."""
    text = path.read_text().split("\n")
    begins = [b for b, line in enumerate(text) if line == "{"]
    inside = [b for b in begins if b < i and "}" not in text[b:i]]
    return {function_at(text, b) for b in inside or begins}


def mark(tree):
    """Makes each function say at its start that it is reached: the functions by number."""
    marked = []
    for path in sources(tree):
        text = path.read_text().split("\n")
        for b in [b for b, line in enumerate(text) if line == "{"]:
            text[b] = f"{{ mutation_reached({len(marked)});"
            marked.append(f"{path.relative_to(tree)} {function_at(text, b - 1)}")
        path.write_text("void mutation_reached(int);\n" + "\n".join(text))
    return marked
