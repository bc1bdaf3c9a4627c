# SPDX-License-Identifier: Apache-2.0
# argparse: options, positionals, choices, subcommands, --help, as Python 3.11 prints them for plain parsers.
import os
import sys

SUPPRESS = '==SUPPRESS=='
OPTIONAL, ZERO_OR_MORE, ONE_OR_MORE, REMAINDER = '?', '*', '+', '...'


class ArgumentError(Exception):
    def __init__(self, argument, message):
        self.argument_name, self.message = argument, message

    def __str__(self):
        return self.message if self.argument_name is None else f'argument {self.argument_name}: {self.message}'


class ArgumentTypeError(Exception):
    pass


class HelpFormatter:
    pass


class RawTextHelpFormatter(HelpFormatter):
    pass


class RawDescriptionHelpFormatter(HelpFormatter):
    pass


class ArgumentDefaultsHelpFormatter(HelpFormatter):
    pass


class Namespace:
    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __repr__(self):
        return 'Namespace(' + ', '.join(f'{n}={v!r}' for n, v in vars(self).items()) + ')'

    def __eq__(self, other):
        return isinstance(other, Namespace) and vars(self) == vars(other)

    def __contains__(self, key):
        return key in vars(self)


class BooleanOptionalAction:
    pass


class _Action:
    def __init__(self, strings, dest, action, nargs, const, default, type, choices, required, help, metavar, version):
        self.option_strings, self.dest, self.action, self.nargs, self.const = strings, dest, action, nargs, const
        self.default, self.type, self.choices, self.required = default, type, choices, required
        self.help, self.metavar, self.version, self.parsers = help, metavar, version, None

    def takes_none(self):
        return self.action in ('store_true', 'store_false', 'store_const', 'append_const', 'count', 'help', 'version', 'boolean')

    def name(self):
        if self.option_strings:
            return '/'.join(self.option_strings)
        if self.metavar is not None:
            return self.metavar
        if self.choices is not None:
            return '{' + ','.join(str(c) for c in self.choices) + '}'
        return self.dest

    def value_word(self):
        if self.metavar is not None:
            return self.metavar
        if self.choices is not None:
            return '{' + ','.join(str(c) for c in self.choices) + '}'
        return self.dest.upper() if self.option_strings else self.dest

    def args_text(self):
        words = self.value_word()
        one = words if isinstance(words, str) else words[0]
        if self.action == 'parsers':
            return f'{one} ...'
        if self.nargs is None:
            return one
        if self.nargs == '?':
            return f'[{one}]'
        if self.nargs == '*':
            return f'[{one} ...]'
        if self.nargs == '+':
            return f'{one} [{one} ...]'
        if self.nargs == '...':
            return '...'
        return ' '.join([one] * self.nargs if isinstance(words, str) else words)


class _Group:
    def __init__(self, parser, title=None, description=None, required=False, is_exclusive=False):
        self._parser, self.title, self.description = parser, title, description
        self.required, self.is_exclusive, self.actions = required, is_exclusive, []

    def add_argument(self, *args, **kwargs):
        action = self._parser._make(*args, **kwargs)
        self.actions.append(action)
        if self.is_exclusive:
            home = self._parser._optionals if action.option_strings else self._parser._positionals
            home.actions.append(action)
        return action


class _SubParsers:
    def __init__(self, parser, action, dest):
        self._parser, self._action = parser, action

    def add_parser(self, name, *, help=None, aliases=(), **kwargs):
        made = ArgumentParser(prog=f'{self._parser._usage_prog()} {name}', **kwargs)
        self._action.parsers[name] = made
        self._action.choices.append(name)
        self._action.helps[name] = help
        for alias in aliases:
            self._action.parsers[alias] = made
        return made


class ArgumentParser:
    def __init__(self, prog=None, usage=None, description=None, epilog=None, parents=(), formatter_class=HelpFormatter,
                 prefix_chars='-', fromfile_prefix_chars=None, argument_default=None, conflict_handler='error',
                 add_help=True, allow_abbrev=True, exit_on_error=True):
        self.prog = os.path.basename(sys.argv[0]) if prog is None else prog
        self.usage, self.description, self.epilog = usage, description, epilog
        self.formatter_class, self.allow_abbrev = formatter_class, allow_abbrev
        self._actions, self._groups, self._exclusive, self._defaults = [], [], [], {}
        self._positionals = _Group(self, 'positional arguments')
        self._optionals = _Group(self, 'options')
        if add_help:
            self.add_argument('-h', '--help', action='help', help='show this help message and exit', default=SUPPRESS)
        for parent in parents:
            for action in parent._actions:
                if action.action != 'help':
                    self._actions.append(action)
                    (self._optionals if action.option_strings else self._positionals).actions.append(action)

    def _usage_prog(self):
        return ' '.join([self.prog] + [a.args_text() for a in self._positionals.actions if a.action != 'parsers'])

    def _make(self, *names, action='store', nargs=None, const=None, default=None, type=None, choices=None,
              required=False, help=None, metavar=None, dest=None, version=None):
        is_option = bool(names) and names[0].startswith('-')
        if action is BooleanOptionalAction:
            action = 'boolean'
            names = names + tuple('--no-' + n[2:] for n in names if n.startswith('--'))
        if not isinstance(action, str):
            raise NotImplementedError('an action of argparse that is a class')
        if is_option:
            if dest is None:
                long = [n for n in names if n.startswith('--')]
                dest = (long or list(names))[0].lstrip('-').replace('-', '_')
        else:
            dest = names[0] if names else dest
            names = ()
            required = nargs not in ('?', '...') and not (nargs == '*' and default is not None)
        if action == 'store_true':
            const, default = True, False if default is None else default
        elif action == 'store_false':
            const, default = False, True if default is None else default
        made = _Action(list(names), dest, action, nargs, const, default, type, choices, required, help, metavar, version)
        self._actions.append(made)
        return made

    def add_argument(self, *args, **kwargs):
        made = self._make(*args, **kwargs)
        (self._optionals if made.option_strings else self._positionals).actions.append(made)
        return made

    def add_argument_group(self, title=None, description=None):
        group = _Group(self, title, description)
        self._groups.append(group)
        return group

    def add_mutually_exclusive_group(self, *, required=False):
        group = _Group(self, required=required, is_exclusive=True)
        self._exclusive.append(group)
        return group

    def add_subparsers(self, *, title=None, description=None, dest=None, required=False, help=None, metavar=None):
        made = _Action([], dest or SUPPRESS, 'parsers', None, None, None, None, [], required, help, metavar, None)
        made.parsers, made.helps = {}, {}
        self._actions.append(made)
        if title is None:
            self._positionals.actions.append(made)
        else:
            group = self.add_argument_group(title, description)
            group.actions.append(made)
        return _SubParsers(self, made, dest)

    def set_defaults(self, **kwargs):
        self._defaults.update(kwargs)
        for action in self._actions:
            if action.dest in kwargs:
                action.default = kwargs[action.dest]

    def get_default(self, dest):
        for action in self._actions:
            if action.dest == dest and action.default is not None:
                return action.default
        return self._defaults.get(dest)

    # ---- what it prints ----

    def _usage_parts(self):
        options, positionals = [], []
        grouped = {}
        for group in self._exclusive:
            for action in group.actions:
                grouped[id(action)] = group
        said = []
        for action in self._actions:
            if action.help == SUPPRESS:
                continue
            if not action.option_strings:
                positionals.append(action.args_text())
                continue
            group = grouped.get(id(action))
            if group is not None:
                if any(group is g for g in said):
                    continue
                said.append(group)
                inner = ' | '.join(self._option_usage(a) for a in group.actions)
                options.append(f'({inner})' if group.required else f'[{inner}]')
                continue
            text = self._option_usage(action)
            options.append(text if action.required else f'[{text}]')
        return options, positionals

    def _option_usage(self, action):
        if action.action == 'boolean':
            return ' | '.join(action.option_strings)
        first = action.option_strings[0]
        return first if action.takes_none() else f'{first} {action.args_text()}'

    def format_usage(self):
        if self.usage is not None:
            return f'usage: {self.usage}\n'.replace('%(prog)s', self.prog)
        options, positionals = self._usage_parts()
        head = f'usage: {self.prog}'
        line = ' '.join([head] + options + positionals)
        width = 78
        if len(line) <= width:
            return line + '\n'
        indent = ' ' * (len(head) + 1)

        def wrapped(parts, first):
            lines, line = [], first
            for part in parts:
                if len(line) + 1 + len(part) > width and line.strip():
                    lines.append(line)
                    line = indent[:-1]
                line += ' ' + part
            return lines + [line]

        if len(head) <= 0.75 * width:
            if options:
                lines = wrapped(options, head)
                if positionals:
                    lines += wrapped(positionals, indent[:-1])
            else:
                lines = wrapped(positionals, head)
        else:
            raise NotImplementedError('the usage of a program with so long a name')
        return '\n'.join(lines) + '\n'

    def _wrap(self, text, width, indent):
        lines, line = [], ''
        for word in text.split():
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f'{line} {word}' if line else word
        if line:
            lines.append(line)
        return [indent + line for line in lines]

    def _rows(self, group):
        rows = []
        for action in group.actions:
            if action.help == SUPPRESS:
                continue
            if not action.option_strings:
                rows.append((2, action.value_word() if action.action != 'parsers' else action.value_word(), action.help, action))
                if action.action == 'parsers':
                    for name, help in action.helps.items():
                        if help is not None:
                            rows.append((4, name, help, action))
                continue
            if action.takes_none():
                text = ', '.join(action.option_strings)
            else:
                text = ', '.join(f'{s} {action.args_text()}' for s in action.option_strings)
            rows.append((2, text, action.help, action))
        return rows

    def _help_of(self, help, action):
        values = dict(vars(action))
        values['prog'] = self.prog
        type_ = values.get('type')
        if type_ is not None and hasattr(type_, '__name__'):
            values['type'] = type_.__name__
        if values.get('choices') is not None:
            values['choices'] = ', '.join(str(c) for c in values['choices'])
        if self.formatter_class is ArgumentDefaultsHelpFormatter and '%(default)' not in help:
            if action.default is not SUPPRESS and (action.option_strings or action.nargs in ('?', '*')):
                help += ' (default: %(default)s)'
        return help % values

    def format_help(self):
        width = 78
        out = [self.format_usage()]
        if self.description:
            if self.formatter_class in (RawTextHelpFormatter, RawDescriptionHelpFormatter):
                out.append(self.description.strip('\n') + '\n')
            else:
                out.append('\n'.join(self._wrap(self.description.replace('%(prog)s', self.prog), width, '')) + '\n')
        groups = [self._positionals, self._optionals] + self._groups
        longest = 0
        for group in groups:
            for indent, text, _, _ in self._rows(group):
                longest = max(longest, len(text) + indent)
        position = min(longest + 2, 24)
        for group in groups:
            rows = self._rows(group)
            if not rows:
                continue
            lines = [f'{group.title}:' if group.title else '']
            if group.description:
                lines += self._wrap(group.description, width - 2, '  ') + ['']
            for indent, text, help, action in rows:
                head = ' ' * indent + text
                if help is None:
                    lines.append(head)
                    continue
                help = self._help_of(help, action)
                if self.formatter_class is RawTextHelpFormatter:
                    body = help.splitlines()
                else:
                    body = self._wrap(help, max(width - position, 11), '')
                if len(head) <= position - 2:
                    lines.append(head + ' ' * (position - len(head)) + (body[0] if body else ''))
                    body = body[1:]
                else:
                    lines.append(head)
                lines += [' ' * position + line for line in body]
            out.append('\n'.join(lines) + '\n')
        if self.epilog:
            out.append('\n'.join(self._wrap(self.epilog, width, '')) + '\n')
        return '\n'.join(out)

    def print_help(self, file=None):
        (file or sys.stdout).write(self.format_help())

    def print_usage(self, file=None):
        (file or sys.stdout).write(self.format_usage())

    def exit(self, status=0, message=None):
        if message:
            sys.stderr.write(message)
        sys.exit(status)

    def error(self, message):
        sys.stderr.write(self.format_usage())
        self.exit(2, f'{self.prog}: error: {message}\n')

    # ---- what it reads ----

    def parse_args(self, args=None, namespace=None):
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            self.error('unrecognized arguments: ' + ' '.join(rest))
        return found

    def parse_known_args(self, args=None, namespace=None):
        args = sys.argv[1:] if args is None else list(args)
        space = Namespace() if namespace is None else namespace
        for action in self._actions:
            if action.dest is not SUPPRESS and action.default is not SUPPRESS and not hasattr(space, action.dest):
                setattr(space, action.dest, action.default)
        for name, value in self._defaults.items():
            if not hasattr(space, name):
                setattr(space, name, value)
        try:
            return space, self._parse(args, space)
        except ArgumentError as error:
            self.error(str(error))

    def _find(self, word):
        """The action of an option's word, with the value that stands in it."""
        if not word.startswith('-') or word == '-':
            return None
        name, equals, value = word.partition('=')
        for action in self._actions:
            if word in action.option_strings:
                return action, word, None
        for action in self._actions:
            if equals and name in action.option_strings:
                return action, name, value
        if word.startswith('--'):
            fits = [(a, s) for a in self._actions for s in a.option_strings if s.startswith(name)] if self.allow_abbrev else []
            if len(fits) > 1:
                words = ', '.join(s for _, s in fits)
                raise ArgumentError(None, f'ambiguous option: {word} could match {words}')
            if fits:
                return fits[0][0], fits[0][1], value if equals else None
            return False
        for action in self._actions:
            if word[:2] in action.option_strings:
                return action, word[:2], word[2:]
        if self._is_number(word) and not any(self._is_number(s) for a in self._actions for s in a.option_strings):
            return None
        return None if ' ' in word else False

    def _is_number(self, word):
        body = word[1:]
        return bool(body) and body.replace('.', '', 1).isdigit()

    def _get(self, action, text):
        value = text
        if action.type is not None:
            name = getattr(action.type, '__name__', repr(action.type))
            try:
                value = action.type(text)
            except ArgumentTypeError as error:
                raise ArgumentError(action.name(), str(error))
            except (TypeError, ValueError):
                raise ArgumentError(action.name(), f'invalid {name} value: {text!r}')
        if action.choices is not None and value not in action.choices:
            words = ', '.join(repr(c) for c in action.choices)
            raise ArgumentError(action.name(), f'invalid choice: {value!r} (choose from {words})')
        return value

    def _store(self, action, space, value):
        if action.action in ('append', 'extend'):
            old = getattr(space, action.dest, None)
            old = [] if old is None else list(old)
            setattr(space, action.dest, old + [value] if action.action == 'append' else old + value)
        else:
            setattr(space, action.dest, value)

    def _flag(self, action, space, word):
        if action.action == 'help':
            self.print_help()
            self.exit()
        if action.action == 'version':
            sys.stdout.write(action.version.replace('%(prog)s', self.prog) + '\n')
            self.exit()
        if action.action == 'count':
            setattr(space, action.dest, (getattr(space, action.dest, None) or 0) + 1)
        elif action.action == 'append_const':
            setattr(space, action.dest, (getattr(space, action.dest, None) or []) + [action.const])
        elif action.action == 'boolean':
            setattr(space, action.dest, not word.startswith('--no-'))
        else:
            setattr(space, action.dest, action.const)

    def _take(self, action, words):
        """How many of the words an option or positional takes, and its value."""
        nargs = action.nargs
        if nargs is None:
            if not words:
                raise ArgumentError(action.name(), 'expected one argument')
            return 1, self._get(action, words[0])
        if nargs == '?':
            if words:
                return 1, self._get(action, words[0])
            return 0, action.const if action.option_strings else action.default
        if nargs == '*' and not words and not action.option_strings:
            return 0, [] if action.default is None else action.default
        if nargs in ('*', '+', '...'):
            if nargs == '+' and not words:
                raise ArgumentError(action.name(), 'expected at least one argument')
            return len(words), [self._get(action, w) for w in words]
        if len(words) < nargs:
            raise ArgumentError(action.name(), f'expected {nargs} argument' + ('' if nargs == 1 else 's'))
        return nargs, [self._get(action, w) for w in words[:nargs]]

    def _parse(self, args, space):
        positionals = [a for a in self._actions if not a.option_strings]
        seen, rest, at = [], [], 0
        kinds, only = [], False
        for word in args:
            found = None if only else self._find(word)
            kinds.append('-' if word == '--' and not only else 'A' if found is None else 'O')
            only = only or word == '--'
        while at < len(args):
            if kinds[at] == 'O':
                found = self._find(args[at])
                if found is False:
                    rest.append(args[at])
                    at += 1
                    continue
                action, word, value = found
                seen.append(action)
                self._check_exclusive(action, seen)
                if action.takes_none():
                    self._flag(action, space, word)
                    if value is not None and not word.startswith('--'):
                        args[at], kinds[at] = '-' + value, 'O'
                        continue
                    if value is not None:
                        raise ArgumentError(action.name(), f'ignored explicit argument {value!r}')
                    at += 1
                    continue
                if value is not None:
                    _, got = self._take(action, [value])
                    self._store(action, space, got)
                    at += 1
                    continue
                end = at + 1
                while end < len(args) and kinds[end] == 'A':
                    end += 1
                used, got = self._take(action, args[at + 1:end])
                self._store(action, space, got)
                at += 1 + used
                continue
            end = at
            while end < len(args) and kinds[end] != 'O':
                end += 1
            words = [w for w, k in zip(args[at:end], kinds[at:end]) if k != '-']
            used = self._positional(positionals, words, space, args[at:], seen)
            if used is None:
                return rest
            rest += words[used:]
            at = end
        self._positional(positionals, [], space, [], seen, True)
        missing = [a.name() for a in self._actions if a.required and not any(a is s for s in seen)]
        if missing:
            raise ArgumentError(None, 'the following arguments are required: ' + ', '.join(missing))
        for group in self._exclusive:
            if group.required and not any(a is s for a in group.actions for s in seen):
                raise ArgumentError(None, 'one of the arguments ' + ' '.join(a.name() for a in group.actions) + ' is required')
        for action in self._actions:
            if isinstance(action.default, str) and action.type is not None and not any(action is s for s in seen):
                if getattr(space, action.dest, None) is action.default:
                    setattr(space, action.dest, self._get(action, action.default))
        return rest

    def _check_exclusive(self, action, seen):
        for group in self._exclusive:
            if any(a is action for a in group.actions):
                for other in group.actions:
                    if other is not action and any(other is s for s in seen):
                        raise ArgumentError(action.name(), f'not allowed with argument {other.name()}')

    def _positional(self, positionals, words, space, all_words, seen, is_last=False):
        used = 0
        while positionals:
            action = positionals[0]
            left = len(words) - used
            if action.action == 'parsers':
                if not left:
                    break
                name = words[used]
                if name not in action.parsers:
                    names = ', '.join(repr(c) for c in action.choices)
                    raise ArgumentError(action.name() if action.dest is SUPPRESS else action.dest,
                                        f'invalid choice: {name!r} (choose from {names})')
                seen.append(action)
                positionals.pop(0)
                if action.dest is not SUPPRESS:
                    setattr(space, action.dest, name)
                at = all_words.index(name)
                inner = Namespace()
                sub = action.parsers[name]
                found, rest = sub.parse_known_args(all_words[at + 1:])
                for key, value in vars(found).items():
                    setattr(space, key, value)
                if rest:
                    self.error('unrecognized arguments: ' + ' '.join(rest))
                self._check_rest(positionals, seen)
                return None
            need = 1 if action.nargs in (None, '+') else action.nargs if isinstance(action.nargs, int) else 0
            if left < need or (left == 0 and not is_last):
                break
            behind = sum(1 if a.nargs in (None, '+') else a.nargs if isinstance(a.nargs, int) else 0 for a in positionals[1:])
            most = max(left - behind, need)
            count, value = self._take(action, words[used:used + most] if most else [])
            if count or action.nargs not in ('?', '*', '...') or is_last:
                seen.append(action)
                self._store(action, space, value)
            positionals.pop(0)
            used += count
        return used

    def _check_rest(self, positionals, seen):
        missing = [a.name() for a in self._actions if a.required and not any(a is s for s in seen)]
        if missing:
            raise ArgumentError(None, 'the following arguments are required: ' + ', '.join(missing))
