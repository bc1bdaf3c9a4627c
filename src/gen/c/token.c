// SPDX-License-Identifier: Apache-2.0
/* token: generated C, read again by the passes that rename or outline it. */
#include "gen/c/c.h"

bool c_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool c_is_digit(char c) { return c >= '0' && c <= '9'; }

int c_token_end(Str s, int at) {
    char c = s.data[at];
    int i = at + 1;
    if (c_is_letter(c) || c_is_digit(c)) {
        bool is_float = c_is_digit(c);
        while (i < s.length && (c_is_letter(s.data[i]) || c_is_digit(s.data[i]) ||
                                (is_float && (s.data[i] == '.' ||
                                              ((s.data[i] == '-' || s.data[i] == '+') &&
                                               (s.data[i - 1] == 'p' || s.data[i - 1] == 'e'))))))
            i++;
        return i;
    }
    if (c == '"' || c == '\'') {
        while (i < s.length && s.data[i] != c) i += s.data[i] == '\\' ? 2 : 1;
        return i + 1;
    }
    if (c == '/' && i < s.length && s.data[i] == '*') {
        while (i + 1 < s.length && !(s.data[i] == '*' && s.data[i + 1] == '/')) i++;
        return i + 2;
    }
    return i;
}

int c_digits_end(Str word, int at) {
    while (at < word.length && c_is_digit(word.data[at])) at++;
    return at;
}

const char *c_number_type(Str word) {
    int digits = c_digits_end(word, 0);
    char last = word.data[word.length - 1];
    bool has_point = false;
    for (int i = 0; i < word.length && !has_point; i++) has_point = word.data[i] == '.';
    if (has_point) return last == 'f' ? "float" : "double";
    bool is_octal = digits > 1 && word.data[0] == '0';
    if (digits == word.length) return digits < 10 && !is_octal ? "int" : NULL;
    bool is_long = digits == word.length - 2 && str_ends(word, "LL");
    return is_long && digits < 19 && !is_octal ? "L" : NULL;
}
