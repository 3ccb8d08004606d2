"""The mutations of tests/mutations/list, and where their text stands."""


def read_list(path):
    mutations = []
    for line in path.read_text().splitlines():
        if line[:2].rstrip() in ("<", ">"):
            mutations[-1][line[0]].append(line[2:])
        elif line.startswith("in "):
            mutations[-1]["in"] = line[3:]
        elif line.strip() and not line.startswith("#"):
            mutations.append({"name": line, "<": [], ">": [], "in": ""})
    return mutations


def read_sources(tree):
    return {p: p.read_bytes() for f in ("tuner", "metrics") for p in (tree / f).rglob("*") if p.is_file()}


def find_places(texts, mutation):
    """The file of each place, among texts as read_sources gives them."""
    old = "\n".join(mutation["<"]).encode()
    return [p for p, text in texts.items() if mutation["in"] in ("", p.name) for _ in range(text.count(old))]
