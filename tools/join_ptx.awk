# SPDX-License-Identifier: Apache-2.0
# Of tools/assemble: reads names of PTX texts, writes texts of one target and version into few files,
# work/joinedN.ptx, with the names of what is in each in work/joinedN.ptx.list. Each kernel gets its number
# behind its name, each .file and .loc a number that the others do not have. What declares anything else
# outside its one kernel stays alone: its name is printed.
function alone_or_read(name,    line, start, entries) {
    text = head = ""
    entries = 0
    while ((getline line < name) > 0) {
        if (line ~ /inlined_at|^[ \t]*\.section/) entries = 2
        if (line ~ /^\.(version|target|address_size)/) {
            head = head line "\n"
            continue
        }
        if (match(line, /^[ \t]*\.(file|loc) +/)) {
            start = substr(line, 1, RLENGTH)
            line = substr(line, RLENGTH + 1)
            match(line, /^[0-9]+/)
            line = start (substr(line, 1, RLENGTH) + 100 * texts) substr(line, RLENGTH + 1)
        } else if (match(line, /^\.visible \.entry [A-Za-z0-9_$]+/)) {
            entries++
            line = substr(line, 1, RLENGTH) "_" texts substr(line, RLENGTH + 1)
        } else if (entries == 0 && line !~ /^[ \t]*(\/\/.*)?$/ || line ~ /\.(entry|func)|^\.(global|const|extern|shared)/) {
            entries = 2
        }
        text = text line "\n"
    }
    close(name)
    return entries == 1
}
{
    if (!alone_or_read($0)) {
        print
        next
    }
    if (!(head in file) || held[head] == 40) {
        if (head in file) {
            close(file[head])
            close(file[head] ".list")
        }
        file[head] = work "/joined" files++ ".ptx"
        held[head] = 0
        printf "%s", head > file[head]
    }
    held[head]++
    texts++
    printf "%s", text > file[head]
    print $0 > (file[head] ".list")
}
