// SPDX-License-Identifier: Apache-2.0
/* operator: how Python writes each operator. */
#include "lang/ast.h"

const char *operator_text(Operator op) {
    switch (op) {
    case OPERATOR_ADD: return "+";
    case OPERATOR_SUB: return "-";
    case OPERATOR_MUL: return "*";
    case OPERATOR_DIV: return "/";
    case OPERATOR_FLOORDIV: return "//";
    case OPERATOR_MOD: return "%";
    case OPERATOR_POW: return "**";
    case OPERATOR_MATMUL: return "@";
    case OPERATOR_SHL: return "<<";
    case OPERATOR_SHR: return ">>";
    case OPERATOR_AND: return "&";
    case OPERATOR_OR: return "|";
    case OPERATOR_XOR: return "^";
    case OPERATOR_LT: return "<";
    case OPERATOR_LE: return "<=";
    case OPERATOR_GT: return ">";
    case OPERATOR_GE: return ">=";
    case OPERATOR_EQ: return "==";
    case OPERATOR_NE: return "!=";
    case OPERATOR_IS: return "is";
    case OPERATOR_IS_NOT: return "is not";
    case OPERATOR_IN: return "in";
    case OPERATOR_NOT_IN: return "not in";
    case OPERATOR_NEG: return "-";
    case OPERATOR_POS: return "+";
    case OPERATOR_INVERT: return "~";
    }
    return "?";
}
