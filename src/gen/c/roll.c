// SPDX-License-Identifier: Apache-2.0
/* roll: statements that follow each other and repeat become a loop again. A source that was
 * unrolled (tl.static_range) leaves copies that differ in names and numbers, thousands of lines of
 * one basic block, for which a C compiler needs a second.
 *
 *     float v20 = v4 + 1.0f;             static const float table90[] = {1.0f, 2.0f, ..};
 *     float v21 = v20 * v5;
 *     float v22 = v19 + v21;             float v25 = v19;
 *     float v23 = v4 + 2.0f;      ->     for (int r91 = 0; r91 < 2; r91++) {
 *     float v24 = v23 * v5;                  float v20 = v4 + table90[r91];
 *     float v25 = v22 + v24;                 float v21 = v20 * v5;
 *                                            float v22 = v25 + v21;
 *                                            v25 = v22;
 *                                        }
 *
 * A name in a copy is one of the copy, one of a copy before (carried), one from before all of
 * them, or a vector of one number, which differs as numbers do. Whatever else differs keeps them as
 * they are. What is read behind the copies lies in an array, but for the last copy's. The order of
 * what is computed does not change. A product is not carried: its sum is one instruction with it
 * only where both are in one block. */
#include "gen/c/c.h"

enum {
    ROLLED_TEXT = 40000, /* shorter ones take gcc less than 0.3 s */
    MOST_PERIOD = 256,
    LEAST_COPIES = 8,
    MOST_BACK = 7,     /* copies that a value is read after */
    LEAST_SAVED = 100, /* statements */
    LEAST_CALLS = 32   /* where calls of nests are among them */
};

typedef enum WordKind { WORD_TEXT, WORD_NAME, WORD_NUMBER, WORD_ARRAY } WordKind;

typedef struct Word {
    WordKind kind;
    Str text;
} Word;

typedef struct Statement {
    int start, end; /* of its line */
    int words, num_words;
    uint64_t shape; /* the same for copies */
    Str type, name; /* of a declaration; else no data */
    bool is_product;
    bool is_call; /* of a nest that became a function */
} Statement;

/* A number of its own, one that is all lanes of a vector, where in S an array is, which of an array
 * that a loop left. */
typedef enum NumberKind { NUMBER_PLAIN, NUMBER_VECTOR, NUMBER_ARRAY, NUMBER_ELEMENT } NumberKind;

typedef struct Number {
    NumberKind kind;
    Str text, type; /* of a vector or array; of an element, the array's name */
} Number;

typedef struct Shift { /* of what is behind `at` in the body */
    int at, by;
} Shift;

typedef enum PartKind { PART_TEXT, PART_INSIDE, PART_CARRIED, PART_TABLE } PartKind;

typedef struct Part { /* of a copy: what a word stands for */
    PartKind kind;
    int from;  /* the statement of the copy that is named */
    int back;  /* of a carried one: so many copies before */
    int table; /* its id */
} Part;

typedef enum OutKind { OUT_NONE, OUT_READ, OUT_CHANGED } OutKind;

typedef struct Carry {
    Str inits[MOST_BACK + 1]; /* what stands for it 1, 2 .. copies before the first */
    int most;                 /* 0: it is not carried */
    int id[MOST_BACK + 1];    /* of the variables for 2, 3 .. copies before */
    bool is_late;             /* a later copy assigns to it, or has its address */
    OutKind last_out;         /* what happens behind the loop to the last copy's */
    OutKind *outs;            /* and to those of all others; NULL: nothing */
    int array;                /* its id: what the copies leave */
} Carry;

typedef struct Roll {
    Gen *g;
    Str body;
    bool is_program; /* where S is known */
    Map numbers; /* name of a vector of one number, an array that stays, an element -> Number * */
    VEC(Word) words;
    VEC(Statement) run;
    bool has_calls; /* of pieces, in the run */
    Map places;     /* name -> Statement * in the run */
    int first, period, copies;
    Part *parts;    /* of the words of the first copy */
    Carry *carries; /* of the statements of a copy */
    VEC(Shift) shifts;
    int moved;  /* by the shifts so far */
    int copied; /* bytes of the body that are in out, or left out */
    Buf out;
} Roll;

/* ---- reading ---- */

static bool is_name(Str word) {
    if (word.length < 2 || !strchr("uvwx", word.data[0])) return false;
    for (int i = 1; i < word.length; i++)
        if (!c_is_digit(word.data[i])) return false;
    return true;
}

static bool is_array_name(Str word) {
    return word.length > 1 && word.data[0] == 'a' && c_digits_end(word, 1) == word.length;
}

static uint64_t mix(uint64_t shape, const char *data, int length) {
    for (int i = 0; i < length; i++) shape = (shape ^ (unsigned char)data[i]) * 0x100000001b3;
    return shape; /* FNV-1a */
}

static uint64_t mix_word(uint64_t shape, const Word *word) {
    switch (word->kind) {
    case WORD_NAME: return mix(shape, "$", 1);
    case WORD_NUMBER: return mix(mix(shape, "#", 1), c_number_type(word->text), 2);
    case WORD_ARRAY: return mix(shape, "@", 1);
    case WORD_TEXT: return mix(shape, word->text.data, word->text.length);
    }
    return shape;
}

/* `TYPE NAME = NUMBER - (TYPE){};` */
static void note_number(Roll *r, const Statement *s, int at) {
    const Word *words = r->words.data + at;
    int count = s->words + s->num_words - at;
    if (count != 11 || words[1].kind != WORD_NUMBER || !str_is(words[3].text, "-") ||
        !str_is(words[7].text, ")") || !str_is(words[8].text, "{"))
        return;
    static const char *const types[] = {"vf32", "vf64", "vi32", "vi64"}; /* a scalar's width */
    for (int i = 0; i < COUNT(types); i++) {
        if (!str_is(words[6].text, types[i])) continue;
        Number *number = arena_new_of(r->g->arena, Number);
        *number = (Number){NUMBER_VECTOR, words[1].text, words[6].text};
        map_set(&r->numbers, s->name, number);
    }
}

/* A line that begins with it is no whole statement, or one that has it leaves the loop. */
static bool is_jump(Str word) {
    static const char *const words[] = {"while",    "do",   "goto",   "break",
                                        "continue", "else", "switch", "case"};
    for (int i = 0; i < COUNT(words); i++)
        if (str_is(word, words[i])) return true;
    return false;
}

/* Splits the line into words. Gives the first `=`, or the end; -1: it jumps. */
static int read_words(Roll *r, int start, int end, Statement *s) {
    int equals = -1;
    bool constant = false; /* what C wants to be one stays as it is */
    for (int at = start, next; at < end; at = next) {
        next = c_token_end(r->body, at);
        Word word = {WORD_TEXT, {r->body.data + at, next - at}};
        if (is_jump(word.text)) return -1;
        if (is_name(word.text)) word.kind = WORD_NAME;
        if (str_starts(word.text, "piece")) s->is_call = r->has_calls = true;
        if (r->is_program && is_array_name(word.text) && map_get(&r->numbers, word.text))
            word.kind = WORD_ARRAY;
        constant = constant || str_is(word.text, "__builtin_shufflevector");
        if (!constant && c_is_digit(*word.text.data) && c_number_type(word.text))
            word.kind = WORD_NUMBER;
        if (equals < 0 && str_is(word.text, "=")) equals = r->words.count;
        if (equals >= 0 && str_is(word.text, "*")) s->is_product = true;
        s->shape = mix_word(s->shape, &word);
        vec_push(r->g->arena, &r->words, word);
    }
    return equals < 0 ? r->words.count : equals;
}

/* One that is a line of its own. */
static bool read_statement(Roll *r, int start, int end, Statement *s) {
    *s = (Statement){.start = start, .end = end, .words = r->words.count};
    while (r->body.data[start] == ' ') start++;
    char c = r->body.data[start];
    Str first = {r->body.data + start, c_token_end(r->body, start) - start};
    if ((!c_is_letter(c) && c != '*') || str_is(first, "return") || r->body.data[end - 2] != ';')
        return false;
    int equals = read_words(r, start, end - 1, s);
    if (equals < 0) {
        r->words.count = s->words;
        return false;
    }
    s->num_words = r->words.count - s->words;
    bool declares = equals - s->words >= 4 && r->words.data[equals - 2].kind == WORD_NAME;
    for (int i = s->words; i < equals && declares; i++)
        declares = c_is_letter(*r->words.data[i].text.data) || str_is(r->words.data[i].text, " ");
    if (!declares) return true;
    s->name = r->words.data[equals - 2].text;
    s->type = (Str){r->body.data + start, (int)(s->name.data - r->body.data) - start - 1};
    note_number(r, s, equals + 1);
    return true;
}

/* ---- finding ---- */

static int least_saved(const Roll *r) { return r->has_calls ? LEAST_CALLS : LEAST_SAVED; }

/* For each statement the period that saves most from there on; 0: none does. */
static int *find_periods(Roll *r) {
    int count = r->run.count;
    const Statement *run = r->run.data;
    int *periods = arena_array(r->g->arena, int, count),
        *saved = arena_array(r->g->arena, int, count);
    for (int p = 1; p <= MOST_PERIOD; p++)
        for (int i = count - p - 1, same = 0; i >= 0; i--) {
            same = run[i].shape == run[i + p].shape ? same + 1 : 0;
            int copies = same / p + 1, saves = (copies - 1) * p;
            if (copies < LEAST_COPIES || saves < least_saved(r) || saves <= saved[i]) continue;
            saved[i] = saves, periods[i] = p;
        }
    return periods;
}

static const Statement *statement(const Roll *r, int copy, int k) {
    return &r->run.data[r->first + copy * r->period + k];
}

static const Word *word_at(const Roll *r, int copy, int k, int at) {
    return &r->words.data[statement(r, copy, k)->words + at];
}

/* Where in the run the name is declared; -1: before it. */
static int place_of(const Roll *r, Str name) {
    const Statement *s = map_get(&r->places, name);
    return s ? (int)(s - r->run.data) : -1;
}

/* The number that the word is, or a vector of; false: neither. */
static bool number_of(const Roll *r, const Word *word, Number *number) {
    bool is_named = word->kind == WORD_NAME || word->kind == WORD_ARRAY;
    const Number *named = is_named ? map_get(&r->numbers, word->text) : NULL;
    *number = named ? *named : (Number){NUMBER_PLAIN, word->text, {0}};
    return named || word->kind == WORD_NUMBER;
}

static const char *type_of(const Number *number) {
    return number->kind == NUMBER_ARRAY ? "L" : c_number_type(number->text);
}

static bool fits_table(const Roll *r, const Word *first, const Word *word) {
    Number a, b;
    return number_of(r, first, &a) && number_of(r, word, &b) && str_equal(a.type, b.type) &&
           a.kind == b.kind && !strcmp(type_of(&a), type_of(&b));
}

/* What the word is by the copy `at_copy` and the one before. False: it differs otherwise. */
static bool find_part(const Roll *r, int at_copy, int k, int at, Part *part) {
    const Word *a = word_at(r, at_copy - 1, k, at), *b = word_at(r, at_copy, k, at);
    int place = b->kind == WORD_NAME ? place_of(r, b->text) - r->first : -1;
    int back = place < 0 ? 0 : at_copy - place / r->period;
    *part = (Part){0};
    if (place >= 0 && back == 0)
        *part = (Part){PART_INSIDE, place % r->period, 0, 0};
    else if (place >= 0)
        *part = (Part){PART_CARRIED, place % r->period, back, 0};
    else if (!str_equal(a->text, b->text))
        *part = (Part){PART_TABLE, 0, 0, new_id(r->g)};
    return part->kind != PART_TABLE || fits_table(r, a, b);
}

static bool copies_call(const Roll *r) {
    for (int k = 0; k < r->period; k++)
        if (statement(r, 0, k)->is_call) return true;
    return false;
}

/* May what reads it be in another block? */
static bool may_leave(const Roll *r, const Statement *s) {
    bool is_whole = str_is(s->type, "int") || str_is(s->type, "L") || str_is(s->type, "UL");
    return !s->is_product || (is_whole && copies_call(r));
}

/* Its address is taken, or it is assigned to. */
static bool is_changed(const Roll *r, int copy, int k, int at) {
    int count = statement(r, copy, k)->num_words;
    return (at > 0 && str_is(word_at(r, copy, k, at - 1)->text, "&")) ||
           (at + 2 < count && str_is(word_at(r, copy, k, at + 2)->text, "="));
}

/* Whether the word of that copy is what the first ones say. */
static bool agrees(Roll *r, int copy, int k, int at, const Part *part) {
    const Word *word = word_at(r, copy, k, at), *first = word_at(r, 0, k, at);
    int place = word->kind == WORD_NAME ? place_of(r, word->text) : -1;
    int start = r->first + copy * r->period;
    Carry *carry = &r->carries[part->from];
    Str *init = copy < part->back ? &carry->inits[part->back - copy] : NULL;
    switch (part->kind) {
    case PART_TEXT: return place < r->first && str_equal(word->text, first->text);
    case PART_INSIDE: return place == start + part->from;
    case PART_TABLE: return place < r->first && fits_table(r, first, word);
    case PART_CARRIED:
        if (!init) return place == start - part->back * r->period + part->from;
        if (place >= r->first || (init->data && !str_equal(*init, word->text))) return false;
        *init = word->text;
        if (carry->most < part->back) carry->most = part->back;
        carry->is_late = carry->is_late || is_changed(r, copy, k, at);
        return may_leave(r, statement(r, 0, part->from));
    }
    return false;
}

static bool copy_agrees(Roll *r, int copy) {
    const Part *part = r->parts;
    for (int k = 0; k < r->period; k++) {
        const Statement *s = statement(r, copy, k);
        if (s->num_words != statement(r, 0, k)->num_words) return false;
        for (int at = 0; at < s->num_words; at++, part++)
            if (!agrees(r, copy, k, at, part)) return false;
    }
    return true;
}

/* How many copies from r->first on are a loop. */
static int count_copies(Roll *r) {
    int most = 1, words = 0;
    while (r->first + (most + 1) * r->period <= r->run.count &&
           statement(r, most, 0)->shape == statement(r, 0, 0)->shape)
        most++;
    int known = most > MOST_BACK ? MOST_BACK : most - 1;
    if (most < LEAST_COPIES) return 0;
    for (int k = 0; k < r->period; k++) {
        int count = statement(r, 0, k)->num_words;
        if (count != statement(r, known - 1, k)->num_words ||
            count != statement(r, known, k)->num_words)
            return 0;
        words += count;
    }
    r->parts = arena_array(r->g->arena, Part, words);
    r->carries = arena_array(r->g->arena, Carry, r->period);
    Part *part = r->parts;
    for (int k = 0; k < r->period; k++)
        for (int at = 0; at < statement(r, 0, k)->num_words; at++)
            if (!find_part(r, known, k, at, part++)) return 0;
    int copies = 0;
    while (copies < most && copy_agrees(r, copies)) copies++;
    return copies;
}

/* Notes that the copy's value is read behind the copies; false: it is a product of floats, changed
 * by a later copy, or of an early copy while copies have no calls: numbers alone, in an array, are
 * as many lines as before. */
static bool note_out(Roll *r, int place, bool changes) {
    int copy = (place - r->first) / r->period;
    Carry *carry = &r->carries[(place - r->first) % r->period];
    bool is_last = copy == r->copies - 1, is_early = copy < r->copies - MOST_BACK;
    if (!is_last && carry->is_late) return false;
    if (!may_leave(r, &r->run.data[place]) || (is_early && !copies_call(r))) return false;
    OutKind *out = &carry->last_out, kind = changes ? OUT_CHANGED : OUT_READ;
    if (!is_last) {
        if (!carry->outs)
            carry->outs = arena_array(r->g->arena, OutKind, r->copies), carry->array = new_id(r->g);
        out = &carry->outs[copy];
    }
    if (*out < kind) *out = kind;
    return true;
}

/* Looks for what is read behind the copies, up to where their names end. */
static bool find_outs(Roll *r) {
    int end = r->first + r->copies * r->period;
    for (int at = r->run.data[end - 1].end, next, depth = 0; at < r->body.length; at = next) {
        next = c_token_end(r->body, at);
        Str word = {r->body.data + at, next - at};
        depth += (*word.data == '{') - (*word.data == '}');
        if (depth < 0) return true;
        int place = is_name(word) ? place_of(r, word) : -1;
        Str rest = {r->body.data + next, r->body.length - next};
        bool changes = r->body.data[at - 1] == '&' || str_starts(rest, " = ");
        if (place >= r->first && place < end && !note_out(r, place, changes)) return false;
    }
    return true;
}

/* ---- writing ---- */

static void write_table(Roll *r, int k, int at, int id) {
    Buf *out = &r->g->functions;
    Number number;
    for (int copy = 0; copy < r->copies; copy++) {
        number_of(r, word_at(r, copy, k, at), &number);
        if (copy == 0) buf_printf(out, "static const %s table%d[] = {", type_of(&number), id);
        buf_printf(out, "%s%.*s", copy ? ", " : "", STR_ARG(number.text));
    }
    buf_puts(out, "};\n");
}

static void write_number(Roll *r, const Number *number, int table, int loop) {
    switch (number->kind) {
    case NUMBER_PLAIN: buf_printf(&r->out, "table%d[r%d]", table, loop); return;
    case NUMBER_VECTOR:
        buf_printf(&r->out, "(table%d[r%d] - (%.*s){})", table, loop, STR_ARG(number->type));
        return;
    case NUMBER_ARRAY:
        buf_printf(&r->out, "((%.*s)(S + table%d[r%d]))", STR_ARG(number->type), table, loop);
        return;
    case NUMBER_ELEMENT:
        buf_printf(&r->out, "%.*s[table%d[r%d]]", STR_ARG(number->type), table, loop);
        return;
    }
}

static void write_word(Roll *r, int k, int at, const Part *part, int loop) {
    const Word *word = word_at(r, 0, k, at);
    Number number;
    switch (part->kind) {
    case PART_TEXT:
    case PART_INSIDE: buf_add(&r->out, word->text.data, (size_t)word->text.length); return;
    case PART_CARRIED:
        if (part->back > 1)
            buf_printf(&r->out, "c%d", r->carries[part->from].id[part->back]);
        else
            buf_printf(&r->out, "%.*s", STR_ARG(statement(r, r->copies - 1, part->from)->name));
        return;
    case PART_TABLE:
        write_table(r, k, at, part->table);
        number_of(r, word, &number);
        write_number(r, &number, part->table, loop);
        return;
    }
}

/* The variables of what is carried, or read behind the loop. */
static void write_variables(Roll *r, int indent) {
    for (int k = 0; k < r->period; k++) {
        const Statement *last = statement(r, r->copies - 1, k);
        Carry *carry = &r->carries[k];
        if (carry->outs)
            buf_printf(&r->out, "%*s%.*s c%d[%d];\n", indent, "", STR_ARG(last->type), carry->array,
                       r->copies);
        if (!carry->most && !carry->last_out) continue;
        buf_printf(&r->out, "%*s%.*s %.*s", indent, "", STR_ARG(last->type), STR_ARG(last->name));
        if (carry->inits[1].data) buf_printf(&r->out, " = %.*s", STR_ARG(carry->inits[1]));
        buf_puts(&r->out, ";\n");
        for (int i = 2; i <= carry->most; i++) {
            carry->id[i] = new_id(r->g);
            buf_printf(&r->out, "%*s%.*s c%d", indent, "", STR_ARG(last->type), carry->id[i]);
            if (carry->inits[i].data) buf_printf(&r->out, " = %.*s", STR_ARG(carry->inits[i]));
            buf_puts(&r->out, ";\n");
        }
    }
}

static void write_next(Roll *r, int indent, int loop) {
    for (int k = 0; k < r->period; k++) {
        const Carry *carry = &r->carries[k];
        Str name = statement(r, r->copies - 1, k)->name;
        for (int i = carry->most; i > 2; i--)
            buf_printf(&r->out, "%*sc%d = c%d;\n", indent, "", carry->id[i], carry->id[i - 1]);
        if (carry->most > 1)
            buf_printf(&r->out, "%*sc%d = %.*s;\n", indent, "", carry->id[2], STR_ARG(name));
        if (carry->most || carry->last_out)
            buf_printf(&r->out, "%*s%.*s = %.*s;\n", indent, "", STR_ARG(name),
                       STR_ARG(statement(r, 0, k)->name));
        if (carry->outs)
            buf_printf(&r->out, "%*sc%d[r%d] = %.*s;\n", indent, "", carry->array, loop,
                       STR_ARG(statement(r, 0, k)->name));
    }
}

/* A later loop may read the array. */
static void note_element(Roll *r, const Carry *carry, Str name, int copy) {
    Number *number = arena_new_of(r->g->arena, Number);
    *number = (Number){NUMBER_ELEMENT, str_format(r->g->arena, "%d", copy),
                       str_format(r->g->arena, "c%d", carry->array)};
    map_set(&r->numbers, name, number);
}

static void write_outs(Roll *r, int indent) {
    for (int k = 0; k < r->period; k++) {
        const Carry *carry = &r->carries[k];
        for (int copy = 0; carry->outs && copy < r->copies; copy++) {
            const Statement *s = statement(r, copy, k);
            OutKind kind = copy < r->copies - 1 ? carry->outs[copy] : carry->last_out;
            if (kind == OUT_READ) note_element(r, carry, s->name, copy);
            if (kind != OUT_NONE && copy < r->copies - 1)
                buf_printf(&r->out, "%*s%.*s %.*s = c%d[%d];\n", indent, "", STR_ARG(s->type),
                           STR_ARG(s->name), carry->array, copy);
        }
    }
}

static void write_loop(Roll *r) {
    int start = statement(r, 0, 0)->start, indent = 0, loop = new_id(r->g);
    const Part *part = r->parts;
    while (r->body.data[start + indent] == ' ') indent++;
    write_variables(r, indent);
    buf_printf(&r->out, "%*sfor (int r%d = 0; r%d < %d; r%d++) {\n", indent, "", loop, loop,
               r->copies, loop);
    for (int k = 0; k < r->period; k++) {
        buf_printf(&r->out, "%*s", indent + 4, "");
        for (int at = 0; at < statement(r, 0, k)->num_words; at++)
            write_word(r, k, at, part++, loop);
        buf_putc(&r->out, '\n');
    }
    write_next(r, indent + 4, loop);
    buf_printf(&r->out, "%*s}\n", indent, "");
    write_outs(r, indent);
}

/* The text up to `end` as it is. */
static void copy_to(Roll *r, int end) {
    buf_add(&r->out, r->body.data + r->copied, (size_t)(end - r->copied));
    r->copied = end;
}

static void roll_run(Roll *r) {
    int count = r->run.count;
    if (count < least_saved(r) + 1) return;
    r->places = (Map){.arena = r->g->arena};
    for (int i = 0; i < count; i++)
        if (r->run.data[i].name.data) map_set(&r->places, r->run.data[i].name, &r->run.data[i]);
    const int *periods = find_periods(r);
    for (int i = 0; i < count; i++) {
        r->first = i, r->period = periods[i];
        if (!r->period) continue;
        ArenaMark mark = arena_mark(r->g->arena);
        r->copies = count_copies(r);
        if (r->copies < LEAST_COPIES || (r->copies - 1) * r->period < least_saved(r)) {
            arena_release(r->g->arena, mark);
            continue;
        }
        int end = i + r->copies * r->period;
        if (find_outs(r)) {
            copy_to(r, statement(r, 0, 0)->start);
            write_loop(r);
            r->copied = r->run.data[end - 1].end;
            vec_push(r->g->arena, &r->shifts,
                     (Shift){r->copied, (int)r->out.length - r->copied - r->moved});
            r->moved = (int)r->out.length - r->copied;
        }
        i = end - 1;
    }
}

static void end_run(Roll *r) {
    roll_run(r);
    r->run.count = r->words.count = 0;
    r->has_calls = false;
}

/* Blocks hold loops or are held by them, but none ends within one. */
static int moved(const Roll *r, int at) {
    int by = 0;
    for (int i = 0; i < r->shifts.count && r->shifts.data[i].at <= at; i++)
        by += r->shifts.data[i].by;
    return at + by;
}

static bool is_comment(Str body, int start, int end) {
    while (body.data[start] == ' ') start++;
    return body.data[start] == '/' && c_token_end(body, start) == end - 1;
}

/* Lines `    TYPE *NAME = (TYPE *)(S + NUMBER);`, but for arrays that the body exchanges. */
static void note_arrays(Roll *r, Str before) {
    for (int at = 0, next; at < before.length; at = next) {
        next = c_token_end(before, at);
        Str name = {before.data + at, next - at}, rest = {before.data + next, before.length - next};
        const char *open = is_array_name(name) ? memchr(rest.data, '(', (size_t)rest.length) : NULL;
        const char *close =
            open ? memchr(open, ')', (size_t)(before.data + before.length - open)) : NULL;
        if (!close || strncmp(rest.data, " = (", 4) || strncmp(close, ")(S + ", 6)) continue;
        int digits =
            c_digits_end((Str){close + 6, (int)(before.data + before.length - close) - 6}, 0);
        Number *number = arena_new_of(r->g->arena, Number);
        *number = (Number){NUMBER_ARRAY, {close + 6, digits}, {open + 1, (int)(close - open) - 1}};
        map_set(&r->numbers, name, number);
    }
    for (int at = 0, next; at < r->body.length; at = next) {
        next = c_token_end(r->body, at);
        Str name = {r->body.data + at, next - at};
        bool changes = next + 2 < r->body.length && !strncmp(r->body.data + next, " = ", 3);
        if (is_array_name(name) && (changes || (at > 0 && r->body.data[at - 1] == '&')))
            map_set(&r->numbers, name, NULL);
    }
}

Str roll(Gen *g, Str before, Str body, bool is_program) {
    if (body.length < ROLLED_TEXT) return body;
    if (is_program) body = sink(g, body);
    Roll r = {.g = g,
              .body = body,
              .is_program = is_program,
              .numbers = {.arena = g->arena},
              .out = {.arena = g->arena}};
    if (is_program) note_arrays(&r, before);
    for (int start = 0, end; start < body.length; start = end) {
        const char *line_end = memchr(body.data + start, '\n', (size_t)(body.length - start));
        end = line_end ? (int)(line_end - body.data) + 1 : body.length;
        Statement s;
        if (is_comment(body, start, end)) continue;
        if (end - start > 2 && read_statement(&r, start, end, &s))
            vec_push(g->arena, &r.run, s);
        else
            end_run(&r);
    }
    end_run(&r);
    copy_to(&r, body.length);
    for (int i = 0; i < g->blocks.count; i++) {
        Block *block = &g->blocks.data[i];
        block->start = moved(&r, block->start), block->end = moved(&r, block->end);
    }
    return buf_str(&r.out);
}
