/* The statement about rivals: calls of libraries that do what a configuration does. */
#include "tuner/spec/spec_statements.h"

#include "tuner/base/file.h"

enum { RIVAL_LIMIT = 64 };

/* A name, or the file of a plugin in quotes.  Whether there is such a library is for those to find
 * out who run it: a spec is sound without. */
static bool take_library(Reader *r, Rival *v)
{
    static const char what[] = "the rival's library: cublas, memory, or a plugin";
    if (r->l.token.kind != TOKEN_STRING) {
        v->library = reader_take_name(r, what);
        return v->library != NULL;
    }
    v->library = reader_take_string(r, what);
    if (v->library)
        v->path = path_join(r->a, path_folder(r->a, r->spec->source->name), v->library);
    return v->library != NULL;
}

/* rival ( NAME | "file.so" ) CALL [ bound ] args item { "," item } */
bool read_rival(Reader *r, Span at)
{
    Rival v = {.at = at, .takes = {.at = at, .entry = "the rival"}};
    if (r->rivals.count >= RIVAL_LIMIT)
        return diag_error(r->d, at, "more than %d rivals", RIVAL_LIMIT);
    if (!take_library(r, &v))
        return false;
    v.call = reader_take_name(r, "the name of the library's call");
    if (!v.call)
        return false;
    v.bound = lexer_take(&r->l, "bound");
    if (!lexer_expect(&r->l, "args", "and what the call takes") || !reader_take_items(r, &v.takes))
        return false;
    VEC_PUSH(r->a, &r->rivals, v);
    return true;
}
