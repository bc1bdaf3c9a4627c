# SPDX-License-Identifier: Apache-2.0
# pprint: in one line, however long.


def pformat(object):
    text = repr(object)
    if len(text) > 79:
        raise NotImplementedError('pprint of what is longer than a line')
    return text


def pprint(object):
    print(pformat(object))


pp = pprint
