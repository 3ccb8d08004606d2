/* Expression trees, for the files of this module and for translation to C (tuner/emit/c_expr.c). */
#pragma once

#include "metrics/base/expr.h"

typedef enum ExprOp {
    OP_LITERAL, /* 16, "half", true */
    OP_NAME,    /* BM */
    OP_LIST,    /* [1, 2] */
    OP_CALL,    /* min(a, b) */
    OP_COLUMN,  /* of the table of the enclosing sum */
    OP_SUM,     /* sum(table, e): one argument, e */
    OP_NEGATE,  /* -a */
    OP_NOT,     /* not a, !a */
    OP_AND,
    OP_OR,
    OP_SELECT, /* a ? b : c */
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,    /* truncates integers */
    OP_FLOOR_DIV, /* // */
    OP_MODULO,    /* takes the sign of the divisor */
    OP_POWER,
    OP_COMPARE /* args[0] compare[0] args[1] compare[1] args[2] … */
} ExprOp;

typedef enum CompareOp {
    CMP_LT,
    CMP_LE,
    CMP_GT,
    CMP_GE,
    CMP_EQ,
    CMP_NE,
    CMP_IN,
    CMP_NOT_IN
} CompareOp;

typedef struct Function Function;

struct Expr {
    ExprOp op;
    ValueKind kind; /* of the result; set by binding */
    int slot;       /* OP_NAME, OP_SUM; OP_COLUMN: the column; set by binding */
    int table;      /* OP_SUM: its index in the scope */
    size_t columns; /* OP_SUM: columns of the table */
    int height;     /* of the tree below */
    int count;      /* of args */
    Expr **args;
    CompareOp *compare; /* OP_COMPARE: count - 1 of them */
    Value literal;      /* OP_LITERAL */
    const char *name;   /* OP_NAME, OP_CALL */
    const Function *function;
    Span at;    /* the whole expression */
    Span op_at; /* the operator or name, for messages */
};

/* A function call in progress: `kind` is that of the result; arguments are numbers of one kind. */
typedef struct Call {
    const Function *function;
    const Value *args;
    int count;
    ValueKind kind;
    Arena *arena;
    const char *error; /* why it failed */
    Value *out;
} Call;

struct Function {
    const char *name;
    int least, most;       /* arguments */
    bool ints_only;        /* arguments must be integers (in a real scope: whole numbers) */
    ValueKind result;      /* VALUE_NONE: the common kind of the arguments */
    bool (*apply)(Call *); /* false after setting `error` */
    double (*real)(double);
    const char *fails; /* message if `real` returns NaN or infinity */
};
