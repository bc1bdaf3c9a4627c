// SPDX-License-Identifier: Apache-2.0
/* piece: how a function begins that outline.c makes of loop nests. Nothing of such a function is
 * seen by its callers, so that it may as well be compiled apart from them (device/cpu/parts.c). */
#ifndef TERN_GEN_C_PIECE_H
#define TERN_GEN_C_PIECE_H

/* noipa: gcc would inline and clone again what was just joined. */
#define C_PIECE_ATTRIBUTE "__attribute__((noipa)) "
#define C_PIECE_START     C_PIECE_ATTRIBUTE "static "
#define C_PIECE_BODY      " {\n"
#define C_PIECE_END       "\n}\n"

#endif
