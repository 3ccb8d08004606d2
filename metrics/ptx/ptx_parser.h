/* The parser of PTX: ptx_body.c reads the body of a function, ptx_parse.c everything around it. Opcodes and modifiers are decoded in ptx.c: a module of any
 * length has about a hundred distinct opcode texts, each of which is decoded once and shared. Internal to
 * metrics/ptx. */
#pragma once

#include "metrics/base/map.h"
#include "metrics/ptx/ptx.h"
#include "metrics/ptx/ptx_lexer.h"

/* Opcodes, modifiers and special registers by text; decoded opcode texts. */
Map ptx_words_new(Arena *a);

/* The decoded form of an opcode text; *fresh: it was not known before. */
const PtxForm *ptx_words_form(Map *words, const char *text, size_t length, bool *fresh);

/* Type and space by word without its dot; PTX_NO_TYPE and false if it is none. */
PtxType ptx_words_type(const Map *words, const char *text, size_t length);
bool ptx_words_space(const Map *words, const char *text, size_t length, PtxSpace *space);

/* A special register by name, or NULL; its value is a PtxSpecial. */
const MapEntry *ptx_words_special(const Map *words, const char *text, size_t length);

/* What a name stands for: the kind of an entry in PtxParser.names. */
typedef enum PtxNameKind {
    PTX_NAME_REGISTER = 1, /* value: its number */
    PTX_NAME_RANGE,        /* pointer: PtxRange */
    PTX_NAME_VARIABLE,     /* pointer: PtxVariable */
    PTX_NAME_LABEL,        /* value: its number */
    PTX_NAME_TABLE,        /* value: its number */
    PTX_NAME_FUNCTION,     /* pointer: PtxFunction */
    PTX_NAME_DIRECTIVE     /* an unknown directive that was reported */
} PtxNameKind;

/* `.reg .b32 %r<66>`: registers are numbered at their first use, so a large count costs nothing. */
typedef struct PtxRange {
    PtxType type;
    int vector;
    uint64_t count;
} PtxRange;

/* A name used before it may be defined; resolved at the end of the body. */
typedef struct PtxPending {
    PtxOperand *operand;
    uint32_t scope;
    bool must; /* must be a label: a branch target */
    Span at;
} PtxPending;

typedef struct PtxParser {
    Arena *arena;
    Diag *diag;
    PtxLexer lex;
    PtxModule *module;
    Map words;
    Map names;             /* by text and scope */
    VEC(uint32_t) parents; /* by scope; 0 is the module */
    uint32_t scope;        /* the innermost */
    int depth;
    PtxFunction *function;
    VEC(PtxPending) pending;
    VEC(PtxOperand) operands; /* stack of the operands of the current statement */
    uint32_t file;
    uint32_t line;
} PtxParser;

/* Adds "expected …, found …" at the current token; always false. */
bool ptx_expected(PtxParser *p, const char *what);

/* Consumes this sign, a name, a number; otherwise adds an error. */
bool ptx_expect(PtxParser *p, char sign, const char *where);
bool ptx_take_name(PtxParser *p, const char *what, PtxToken *name);
bool ptx_take_integer(PtxParser *p, uint64_t *value);

/* True at a word that begins with a dot. */
bool ptx_at_directive(const PtxParser *p);

/* Consumes the directive of a state space, if it is one. */
bool ptx_take_space(PtxParser *p, PtxSpace *space);

/* Skips to the next of these signs, or to the end. */
void ptx_skip_to(PtxParser *p, const char *signs);

/* Skips the rest of a statement: past the next ';', or up to a '}' or the end. */
void ptx_skip_statement(PtxParser *p);

/* Skips an unknown directive; counts it and warns the first time. */
void ptx_skip_directive(PtxParser *p);

void ptx_enter_scope(PtxParser *p);
void ptx_leave_scope(PtxParser *p);

/* A new name in the innermost scope; NULL after an error if it has a meaning there already. */
MapEntry *ptx_declare(PtxParser *p, const PtxToken *name, int kind);

/* declaration = variables ";"; follows the space and appends to `list`. */
bool ptx_read_declaration(PtxParser *p, PtxSpace space, PtxVariables *list);

/* body = "{" { statement } "}"; follows the first brace. */
void ptx_read_body(PtxParser *p);

/* Fills in what an instruction reads and writes; one that is unknown may also read its first operand. */
void ptx_list_uses(Arena *a, PtxInstr *in);

/* Appends the loads or stores of each lane, with their addresses, that ptxas makes of a wmma.load or wmma.store; false
 * for any other instruction and for elements of less than a byte. */
bool ptx_lower_wmma(PtxParser *p, const PtxInstr *in);
