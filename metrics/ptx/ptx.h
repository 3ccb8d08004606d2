/* The PTX of one module as data.
 *
 * ptx_parse reads the text once into these structs, which the flow analyses and the warp walk share.
 * Nothing depends on how the text was laid out: nested scopes are resolved, registers are numbered densely
 * per function in order of first use. An unknown instruction keeps its text and operands and has the class
 * PTX_CLASS_UNKNOWN.
 *
 * Everything lives in the arena given to ptx_parse. Names are zero-terminated. Source: Parallel Thread
 * Execution ISA 9.0 (NVIDIA, 2025), sections named at the types. */
#pragma once

#include "metrics/base/diag.h"
#include "metrics/base/vec.h"

typedef enum PtxType {
#define TYPE(id, word, bits, kind) PTX_##id,
#include "metrics/ptx/ptx_words.def"
    PTX_TYPE_COUNT
} PtxType;

typedef enum PtxSpace {
#define SPACE(id, word) PTX_##id,
#include "metrics/ptx/ptx_words.def"
    PTX_SPACE_COUNT
} PtxSpace;

/* One class per instruction (ptx_ops.def). */
typedef enum PtxClass {
#define CLASS(id, word) PTX_CLASS_##id,
#include "metrics/ptx/ptx_words.def"
    PTX_CLASS_COUNT,
    PTX_CLASS_TYPED = PTX_CLASS_COUNT /* only in ptx_ops.def: given by the instruction's type */
} PtxClass;

typedef enum PtxOp {
    PTX_UNKNOWN,
#define OP(id, text, class, writes) PTX_##id,
#include "metrics/ptx/ptx_ops.def"
    PTX_OP_COUNT
} PtxOp;

/* Comparisons of setp, set and slct (9.7.6); the -u forms are true for NaN. */
typedef enum PtxCompare {
    PTX_NO_COMPARE,
    PTX_EQ,
    PTX_NE,
    PTX_LT,
    PTX_LE,
    PTX_GT,
    PTX_GE,
    PTX_LO, /* unsigned */
    PTX_LS,
    PTX_HI,
    PTX_HS,
    PTX_EQU,
    PTX_NEU,
    PTX_LTU,
    PTX_LEU,
    PTX_GTU,
    PTX_GEU,
    PTX_NUM,
    PTX_NAN
} PtxCompare;

/* Orders of two values, with the bits that machine code has for them. */
enum { PTX_LESS = 1, PTX_SAME = 2, PTX_MORE = 4, PTX_ORDERED = 7, PTX_UNORDERED = 8 };

/* Those for which a comparison holds. */
unsigned ptx_orders(PtxCompare c);

typedef enum PtxCombine {
    PTX_NO_COMBINE,
    PTX_COMBINE_AND,
    PTX_COMBINE_OR,
    PTX_COMBINE_XOR
} PtxCombine;
typedef enum PtxHalf { PTX_NO_HALF, PTX_LOW, PTX_HIGH, PTX_WIDE } PtxHalf;
typedef enum PtxRounding {
    PTX_NO_ROUNDING,
    PTX_RN,
    PTX_RZ,
    PTX_RM,
    PTX_RP,
    PTX_RNA,
    PTX_RNI, /* to an integral value */
    PTX_RZI,
    PTX_RMI,
    PTX_RPI
} PtxRounding;

/* Modifiers without a value. */
enum {
    PTX_FLAG_FTZ = 1 << 0,
    PTX_FLAG_SAT = 1 << 1,
    PTX_FLAG_APPROX = 1 << 2,
    PTX_FLAG_CC = 1 << 3,       /* writes the carry flag */
    PTX_FLAG_NC = 1 << 4,       /* read-only path */
    PTX_FLAG_WRAP = 1 << 5,     /* shf: amount modulo 32; else clamped */
    PTX_FLAG_LEFT = 1 << 6,     /* shf.l; shf.r without it */
    PTX_FLAG_SHIFTAMT = 1 << 7, /* bfind */
    PTX_FLAG_PAST_L1 = 1 << 8   /* .cg, .cv, .volatile */
};

/* Opcode with all its modifiers, decoded once per distinct text. */
typedef struct PtxForm {
    const char *text; /* "ld.global.nc.v4.f32" */
    PtxOp op;         /* longest known prefix of the text */
    PtxClass class;
    PtxType types[4]; /* as written: result, then sources if they differ */
    int type_count;
    PtxSpace space;
    PtxSpace space2; /* second space, of cp.async and the like */
    PtxCompare compare;
    PtxCombine combine;
    PtxHalf half;
    PtxRounding rounding;
    int vector; /* 1, 2, 4 or 8 elements */
    int mode;   /* of prmt: 0, or 1 + index in f4e b4e rc8 ecl ecr rc16 */
    unsigned flags;
    int writes; /* leading result operands: 0 or 1 (a pair or a vector is one) */
} PtxForm;

/* Special registers with a known meaning; others are PTX_SPECIAL_OTHER. */
typedef enum PtxSpecial {
    PTX_SPECIAL_OTHER,
#define SPECIAL(id, word) PTX_##id,
#include "metrics/ptx/ptx_words.def"
    PTX_SPECIAL_COUNT
} PtxSpecial;

typedef struct PtxFunction PtxFunction;

typedef struct PtxVariable {
    const char *name;
    PtxSpace space;
    PtxType type;
    uint32_t align;         /* bytes; at least the type's */
    uint64_t size;          /* bytes; 0: array of open length */
    uint64_t offset;        /* of a function's parameter, in bytes */
    int index;              /* in its list */
    PtxFunction *function;  /* owner; NULL: the module */
    const char *dimensions; /* as written: "", "[4096]", "[]", "[2][3]" */
    const char *initial;    /* initializer in the text, or NULL */
    bool is_parameter;      /* of an entry or .func; not the .param of a call, not a result */
    bool is_result;         /* of a .func */
    bool is_pointer;        /* declared with .ptr */
    int vector;             /* 1, 2 or 4 */
    Span at;
} PtxVariable;

typedef enum PtxOperandKind {
    PTX_OPERAND_NAME,      /* unresolved: kept by name */
    PTX_OPERAND_REGISTER,  /* index; name is the part (".b0", ".x") or NULL */
    PTX_OPERAND_IMMEDIATE, /* value */
    PTX_OPERAND_FLOAT,     /* value: the bits; index: 32 or 64 */
    PTX_OPERAND_SPECIAL,   /* index: a PtxSpecial; name as written */
    PTX_OPERAND_VARIABLE,  /* the address of `variable`, plus value */
    PTX_OPERAND_LABEL,     /* index in the function's labels */
    PTX_OPERAND_TABLE,     /* index in the function's branch tables */
    PTX_OPERAND_FUNCTION,  /* name; `function` if the module has it */
    PTX_OPERAND_ADDRESS,   /* [parts[0] + value {, parts[1] …}] */
    PTX_OPERAND_VECTOR,    /* {parts} */
    PTX_OPERAND_LIST,      /* (parts) of a call */
    PTX_OPERAND_PAIR,      /* parts[0]|parts[1] */
    PTX_OPERAND_SINK       /* _ */
} PtxOperandKind;

typedef struct PtxOperand PtxOperand;

struct PtxOperand {
    PtxOperandKind kind;
    bool negated; /* !p */
    int index;
    int64_t value;
    const char *name;
    union {
        const PtxVariable *variable; /* PTX_OPERAND_VARIABLE, PTX_OPERAND_NAME: NULL */
        const PtxFunction *function; /* PTX_OPERAND_FUNCTION */
        PtxOperand *parts;           /* compound kinds */
    };
    size_t count; /* of parts */
};

enum { PTX_NO_GUARD = -1 };

typedef VEC(int) PtxUses;

typedef struct PtxInstr {
    const PtxForm *form;
    int guard; /* register of @p, or PTX_NO_GUARD */
    bool guard_negated;
    uint16_t count;
    PtxOperand *operands;
    PtxUses reads; /* registers in order, including the guard and those of addresses */
    PtxUses writes;
    Span at;
    uint32_t file; /* of the last .loc, or 0 */
    uint32_t line;
} PtxInstr;

typedef struct PtxRegister {
    PtxType type; /* as declared: NVVM 20 uses .b32 for floats too */
    int vector;   /* 1, 2 or 4 */
} PtxRegister;

typedef struct PtxLabel {
    const char *name;
    size_t instr; /* the instruction that follows it; the count at the end */
} PtxLabel;

/* `.branchtargets` or another labelled list. */
typedef struct PtxTable {
    PtxOperand *targets; /* labels or unresolved names; empty for other lists */
    size_t count;
} PtxTable;

/* A directive with its numbers: `.maxntid 256, 1, 1`, `.noreturn`. */
typedef struct PtxAttribute {
    const char *name;
    int64_t values[3];
    int count;
} PtxAttribute;

typedef VEC(PtxInstr) PtxInstrs;
typedef VEC(PtxRegister) PtxRegisters;
typedef VEC(PtxLabel) PtxLabels;
typedef VEC(PtxTable) PtxTables;
typedef VEC(PtxAttribute) PtxAttributes;
typedef VEC(PtxVariable *) PtxVariables;

struct PtxFunction {
    const char *name;
    const struct PtxModule *module; /* that it is in */
    bool is_entry;
    bool has_body;
    PtxVariables results; /* of a .func */
    PtxVariables params;
    PtxVariables locals; /* from the body: .shared, .local, .param of calls … */
    PtxAttributes attributes;
    PtxRegisters registers;
    PtxInstrs instrs;
    PtxLabels labels;
    PtxTables tables;
    uint64_t param_size;               /* bytes of an entry's parameter space */
    uint64_t declared[PTX_TYPE_COUNT]; /* declared registers by type; `registers` has those used */
    size_t unknown;                    /* instructions with an unknown opcode */
};

typedef struct PtxFile {
    uint32_t number;
    const char *name;
} PtxFile;

typedef VEC(PtxFunction *) PtxFunctions;

typedef struct PtxModule {
    const char *version; /* "9.0" */
    const char *target;  /* "sm_90" or "sm_90a, debug" */
    PtxVariables variables;
    PtxFunctions functions; /* including declarations; a definition reuses their object */
    VEC(PtxFile) files;
} PtxModule;

/* By PtxType. */
typedef struct PtxTypeInfo {
    const char *name; /* "s32", without the dot */
    int bits;         /* of one value; 0 for PTX_NO_TYPE, 1 for a predicate */
    bool is_float, is_signed;
} PtxTypeInfo;

extern const PtxTypeInfo ptx_types[];
extern const char *const ptx_class_names[];
extern const char *const ptx_space_names[];

/* Type of the result and of the sources; usually the same. */
PtxType ptx_result_type(const PtxForm *f);
PtxType ptx_source_type(const PtxForm *f);

/* The entry by name, or the first one if name is NULL; NULL if there is none. */
PtxFunction *ptx_find_entry(const PtxModule *m, const char *name);
/* An attribute by name including the dot; NULL if absent. */
const PtxAttribute *ptx_find_attribute(const PtxFunction *f, const char *name);

/* True if ptxas emits an instruction for it: not for loads and stores of the parameter space (constant
 * operands, call sequences), cvta, and mov except from a special register. */
bool ptx_issues(const PtxInstr *in);

/* The line of an instruction in the PTX text, from 1. */
size_t ptx_line(const PtxFunction *f, size_t instr);

/* The function and the line of an instruction for a message: of the source if the PTX tells it, as after
 * -lineinfo: "scale, line 12 of scale.cu", else "scale, line 80 of the PTX". */
const char *ptx_place(Arena *a, const PtxFunction *f, size_t instr);

/* Parses PTX text.
 *
 * Accepts what NVRTC and nvcc emit, in both of NVVM's dialects, and hand-written PTX in inline assembly.
 * Unknown constructs are kept or skipped, counted, and warned about once; a mistake is an error with its
 * place, and parsing resumes at the next statement. Debug sections are skipped. */

/* Returns the module in `a`, never NULL; it is complete if no error was added to `d`, else it holds what
 * could be parsed. The source must outlive it. */
PtxModule *ptx_parse(Arena *a, const Source *s, Diag *d);
