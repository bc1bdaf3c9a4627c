// SPDX-License-Identifier: Apache-2.0
/* pack: templates with any number of parameters. A template is its tokens; for a number of
 * arguments they are written out, and read as those of any other template:
 *
 *     template <class T, class... R> T sum(T a, R... r) { return a + sum(r...); }
 *
 * is, for two more arguments,
 *
 *     template <class T, class R__0, class R__1> T sum(T a, R__0 r__0, R__1 r__1)
 *     { return a + sum(r__0, r__1); }
 *
 * What stands before a '...' is written once for each of them, sizeof...(r) is their number, and
 * ((r + ...)) is (r__0 + (r__1)). */
#include "cuda/front.h"

typedef struct Pack {
    CuLower *l;
    VEC(CuToken *) in;
    int *ends; /* of a token where what is repeated begins: its '...'; else 0 */
    Map names; /* of packs: of types, numbers and parameters */
    Map types; /* of those of types */
    int count;
    CuToken *first, **out, *last;
    int num_written;
    bool failed;
} Pack;

enum { MOST_OF_PACK = 256, MOST_WRITTEN = 1000000 };

static bool opens(const CuToken *t) { return cu_is(t, "(") || cu_is(t, "[") || cu_is(t, "{"); }
static bool closes(const CuToken *t) { return cu_is(t, ")") || cu_is(t, "]") || cu_is(t, "}"); }

static const CuToken *at(const Pack *p, int i) {
    return p->in.data[i < p->in.count ? i : p->in.count - 1];
}

/* ---- what is repeated ---- */

/* Where what ends before token `end` begins: behind ',', '(', '<' .. at the same depth. */
static int start_of(const Pack *p, int end) {
    int depth = 0, i = end;
    for (; i > 0; i--) {
        const CuToken *t = at(p, i - 1);
        if (closes(t) || cu_is(t, ">")) depth++;
        if (cu_is(t, ">>")) depth += 2;
        if (opens(t) || cu_is(t, "<")) depth--;
        bool ends = cu_is(t, ",") || cu_is(t, ";") || cu_is(t, "return");
        if (depth < 0 || (depth == 0 && ends)) break;
    }
    return i;
}

static bool is_operator(const CuToken *t) {
    static const char *const words[] = {"+", "-",  "*",  "/",  "%", "&", "|",  "^",
                                        ",", "&&", "||", "<<", "<", ">", "==", "!="};
    for (int i = 0; i < COUNT(words); i++)
        if (cu_is(t, words[i])) return true;
    return false;
}

/* ( .. op .. ) around the '...' at i: a fold. */
static bool is_fold(const Pack *p, int i) {
    if (at(p, i + 1)->kind == CU_NAME) return false;                   /* A &&...a */
    if (i > 1 && map_get(&p->types, at(p, i - 2)->text)) return false; /* (A &&...) */
    return (i > 0 && (cu_is(at(p, i - 1), "(") || is_operator(at(p, i - 1)))) ||
           (is_operator(at(p, i + 1)) && !cu_is(at(p, i + 1), ",") && !cu_is(at(p, i + 1), ">"));
}

static void find_packs(Pack *p) {
    for (int i = 0; i < p->in.count; i++) {
        if (!cu_is(at(p, i), "...")) continue;
        const CuToken *name = at(p, i + 1);
        if (name->kind == CU_NAME) map_set(&p->names, name->text, p);
        bool of_types = i > 0 && (cu_is(at(p, i - 1), "typename") || cu_is(at(p, i - 1), "class"));
        if (of_types && name->kind == CU_NAME) map_set(&p->types, name->text, p);
        bool is_sizeof = i > 0 && cu_is(at(p, i - 1), "sizeof");
        if (!is_sizeof && !is_fold(p, i)) p->ends[start_of(p, i)] = i;
    }
}

/* ---- writing ---- */

static void write_token(Pack *p, CuToken token) {
    if (++p->num_written > MOST_WRITTEN) p->failed = true;
    if (p->failed) return;
    CuToken *copy = arena_new_of(p->l->arena, CuToken);
    *copy = token;
    *p->out = p->last = copy;
    p->out = &copy->next;
}

static void write_text(Pack *p, const CuToken *like, CuTokenKind kind, const char *text) {
    CuToken token = *like;
    token.kind = kind;
    token.text = str_copy(p->l->arena, str_of(text));
    token.unroll = NULL;
    write_token(p, token);
}

static void write_range(Pack *p, int from, int to, int index);

/* Of all in the pack, with commas between them. */
static int write_repeated(Pack *p, int from, int index) {
    int dots = p->ends[from], next = dots + 1;
    const CuToken *name = at(p, next);
    bool declares = name->kind == CU_NAME && map_get(&p->names, name->text);
    if (index >= 0) p->failed = true; /* a pack of packs */
    p->ends[from] = 0;
    for (int k = 0; k < p->count && !p->failed; k++) {
        if (k) write_text(p, at(p, dots), CU_PUNCT, ",");
        write_range(p, from, dots, k);
        if (declares) write_range(p, next, next + 1, k);
    }
    p->ends[from] = dots;
    next += declares;
    if (!p->count && cu_is(at(p, next), ",")) return next + 1;
    if (!p->count && cu_is(p->last, ",")) { /* nothing stands behind it */
        p->last->text = STR("");
        p->last->kind = CU_OTHER;
    }
    return next;
}

/* The group at '(' whose '...' is at `dots`, folded. */
static void write_fold(Pack *p, int open, int dots, int close, int index) {
    bool is_left = cu_is(at(p, open + 1), "..."), is_right = dots == close - 1;
    const CuToken *op =
        is_left || !is_operator(at(p, dots - 1)) ? at(p, dots + 1) : at(p, dots - 1);
    int a = open + 1, a_end = dots - 1, b = dots + 2, b_end = close; /* a op ... op b */
    bool pack_is_first = false;
    for (int i = a; i < a_end; i++)
        pack_is_first |= at(p, i)->kind == CU_NAME && map_get(&p->names, at(p, i)->text) != NULL;
    if (is_left) pack_is_first = false;
    bool has_other = !is_left && !is_right, from_left = !pack_is_first;
    int from = pack_is_first ? a : b, to = pack_is_first ? a_end : b_end;
    int other = pack_is_first ? b : a, other_end = pack_is_first ? b_end : a_end;
    if (index >= 0) p->failed = true;
    int terms = p->count + has_other;
    write_text(p, op, CU_PUNCT, "(");
    if (!terms) { /* (... && r) of none */
        write_text(p, op, CU_NUMBER, cu_is(op, "&&") ? "1" : "0");
        if (!cu_is(op, "&&") && !cu_is(op, "||") && !cu_is(op, ",")) p->failed = true;
    }
    for (int k = 0; k < terms && from_left; k++) write_text(p, op, CU_PUNCT, "(");
    for (int k = 0; k < terms && !p->failed; k++) {
        bool is_other = has_other && k == (from_left ? 0 : terms - 1);
        if (!from_left) write_text(p, op, CU_PUNCT, "(");
        if (is_other)
            write_range(p, other, other_end, -1);
        else
            write_range(p, from, to, k - (has_other && from_left));
        if (from_left) write_text(p, op, CU_PUNCT, ")");
        if (k < terms - 1) write_token(p, *op);
    }
    for (int k = 0; k < terms && !from_left; k++) write_text(p, op, CU_PUNCT, ")");
    write_text(p, op, CU_PUNCT, ")");
}

static int close_of(const Pack *p, int open) {
    int depth = 0;
    for (int i = open; i < p->in.count; i++) {
        depth += opens(at(p, i)) - closes(at(p, i));
        if (!depth) return i;
    }
    return p->in.count - 1;
}

/* The '...' of a fold directly in the group; -1: it has none. */
static int fold_in(const Pack *p, int open, int close) {
    for (int i = open + 1; i < close; i++) {
        if (opens(at(p, i))) {
            i = close_of(p, i);
            continue;
        }
        if (cu_is(at(p, i), "...") && is_fold(p, i)) return i;
    }
    return -1;
}

/* index: of the pack, in what is repeated; else -1. */
static void write_range(Pack *p, int from, int to, int index) {
    for (int i = from; i < to && !p->failed;) {
        const CuToken *t = at(p, i);
        if (p->ends[i] && p->ends[i] < to) {
            i = write_repeated(p, i, index);
            continue;
        }
        if (cu_is(t, "sizeof") && cu_is(at(p, i + 1), "...")) {
            write_text(p, t, CU_NUMBER, str_format(p->l->arena, "%dul", p->count).data);
            i = close_of(p, i + 2) + 1;
            continue;
        }
        int close = cu_is(t, "(") ? close_of(p, i) : 0, dots = close ? fold_in(p, i, close) : -1;
        if (dots > 0) {
            write_fold(p, i, dots, close, index);
            i = close + 1;
            continue;
        }
        CuToken token = *t;
        if (index >= 0 && t->kind == CU_NAME && map_get(&p->names, t->text))
            token.text = str_format(p->l->arena, "%.*s__%d", STR_ARG(t->text), index);
        write_token(p, token);
        i++;
    }
}

/* ---- a declaration ---- */

static const CuToken *dots_in(const CuToken *from, const CuToken *to) {
    for (const CuToken *t = from; t && t != to && t->kind != CU_END; t = t->next)
        if (cu_is(t, "...")) return t;
    return NULL;
}

/* How many commas stand at the top of ( .. ) or < .. >, plus 1; 0: it is empty. */
static int items_in(const CuToken *open) {
    int depth = 0, count = 0;
    for (const CuToken *t = open; t->kind != CU_END; t = t->next) {
        if (opens(t) || cu_is(t, "<")) depth++;
        if (closes(t) || cu_is(t, ">")) depth--;
        if (cu_is(t, ">>")) depth -= 2;
        if (depth <= 0) return count;
        if (!count && t != open) count = 1;
        count += depth == 1 && cu_is(t, ",");
    }
    return count;
}

static bool has_pack(const CuDecl *decl) {
    return decl->templates && dots_in(decl->templates, cu_skip_angles(decl->templates));
}

/* How many arguments of a call, or of the template, the pack is; -1: too few. num_args: -1: there
 * is no call. */
static int count_of(const CuDecl *decl, int num_written, int num_args) {
    bool in_params =
        decl->params && dots_in(decl->params, decl->body ? decl->body : cu_skip(decl->params));
    if (decl->kind == CU_DECL_FUNCTION && in_params && num_args >= 0)
        return num_args - (items_in(decl->params) - 1);
    const CuToken *list = decl->special ? decl->special : decl->templates;
    int fixed =
        items_in(list) - (dots_in(list, cu_skip_angles((CuToken *)(uintptr_t)list)) != NULL);
    return num_written - fixed;
}

static CuDecl *written_out(CuLower *l, const CuDecl *decl, int count) {
    Pack p = {.l = l, .names.arena = l->arena, .types.arena = l->arena, .count = count};
    CuToken *end = decl->end;
    if (!end) end = decl->body ? cu_skip(decl->body) : decl->at->next;
    if (cu_is(decl->start, "using") || decl->kind == CU_DECL_VARIABLE)
        while (end->kind != CU_END && !cu_is(end, ";")) end = opens(end) ? cu_skip(end) : end->next;
    CuToken head = *decl->templates;
    head.kind = CU_NAME, head.text = STR("template");
    vec_push(l->arena, &p.in, &head);
    for (CuToken *t = decl->templates; t != end && t->kind != CU_END; t = t->next)
        vec_push(l->arena, &p.in, t);
    p.ends = arena_array(l->arena, int, p.in.count + 1);
    memset(p.ends, 0, ((size_t)p.in.count + 1) * sizeof *p.ends);
    p.out = &p.first;
    find_packs(&p);
    write_range(&p, 0, p.in.count, -1);
    CuToken semicolon = head, last = head;
    semicolon.kind = CU_PUNCT, semicolon.text = STR(";");
    if (decl->kind != CU_DECL_FUNCTION) write_token(&p, semicolon);
    last.kind = CU_END, last.text = STR("");
    write_token(&p, last);
    if (p.failed) return NULL;
    p.last->next = p.last;
    for (CuToken **t = &p.first; (*t)->kind != CU_END;) /* commas before nothing */
        if ((*t)->kind == CU_OTHER && !(*t)->text.length)
            *t = (*t)->next;
        else
            t = &(*t)->next;
    CuDecl *made = cu_outline_one(l->arena, decl, p.first);
    return made && made->kind == decl->kind ? made : NULL;
}

const CuDecl *cu_without_pack(CuLower *l, const CuDecl *decl, int num_written, int num_args) {
    if (!has_pack(decl)) return decl;
    int count = count_of(decl, num_written, num_args);
    if (count < 0 || count > MOST_OF_PACK) return NULL;
    Str key = str_format(l->arena, "%p %d", (const void *)decl, count);
    CuDecl *known = map_get(&l->unpacked, key);
    if (known) return known;
    known = written_out(l, decl, count);
    if (!known) return NULL;
    known->space = decl->space;
    known->is_native = decl->is_native;
    map_set(&l->unpacked, key, known);
    return known;
}
