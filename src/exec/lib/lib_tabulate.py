# SPDX-License-Identifier: Apache-2.0
# tabulate: rows of texts and numbers as a table in the style "simple": columns of numbers are aligned
# at the point, and printed with "g".


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _column(values, header):
    numeric = all([_is_number(value) or value is None for value in values]) and len(values) > 0
    floats = numeric and any([isinstance(value, float) for value in values])
    cells = []
    for value in values:
        if value is None:
            cells.append("")
        elif floats:
            cells.append(format(float(value), "g"))
        else:
            cells.append(str(value))
    if floats:
        after = []
        for cell in cells:
            point = cell.rfind(".")
            if point < 0:
                point = cell.rfind("e")
            after.append(len(cell) - point - 1 if point >= 0 else -1)
        most = max(after)
        cells = [cell + " " * (most - n) for cell, n in zip(cells, after)]
    head = len(header) + 2 if header is not None else 0
    width = max([len(cell) for cell in cells] + [head])
    if numeric:
        return width, [cell.rjust(width) for cell in cells], header.rjust(width) if header is not None else None
    return width, [cell.ljust(width) for cell in cells], header.ljust(width) if header is not None else None


def tabulate(tabular_data, headers=(), tablefmt="simple"):
    if tablefmt != "simple" or isinstance(headers, str):
        raise NotImplementedError("tabulate: tables in the style 'simple' with a list of headers only")
    rows = [list(row) for row in tabular_data]
    for row in rows:
        for value in row:
            if not (value is None or _is_number(value) or isinstance(value, str)):
                raise NotImplementedError("tabulate: cells other than texts and numbers")
            if isinstance(value, str) and (value != value.strip() or "\n" in value or value[:1] in "0123456789+-."):
                raise NotImplementedError("tabulate: texts that may be numbers, or have spaces around them")
    count = max([len(row) for row in rows] + [len(headers)])
    heads = [None] * count
    if len(headers) > 0:
        heads = [""] * (count - len(headers)) + [str(header) for header in headers]
    columns = [_column([row[i] if i < len(row) else None for row in rows], heads[i]) for i in range(count)]
    rule = "  ".join(["-" * width for width, cells, head in columns])
    lines = [] if len(headers) == 0 else ["  ".join([head for width, cells, head in columns]).rstrip()]
    lines.append(rule)
    for r in range(len(rows)):
        lines.append("  ".join([cells[r] for width, cells, head in columns]).rstrip())
    if len(headers) == 0:
        lines.append(rule)
    return "\n".join(lines)
