# SPDX-License-Identifier: Apache-2.0
# logging: loggers share one level and write to stderr, as after basicConfig.
import sys

DEBUG, INFO, WARNING, ERROR, CRITICAL = 10, 20, 30, 40, 50
_names = {10: 'DEBUG', 20: 'INFO', 30: 'WARNING', 40: 'ERROR', 50: 'CRITICAL'}
_set = {'level': WARNING, 'is_basic': False}


class Logger:
    def __init__(self, name):
        self.name = name
        self._level = 0
        self.handlers = []
        self.propagate = True

    def setLevel(self, level):
        self._level = level

    def getEffectiveLevel(self):
        return self._level or _set['level']

    def isEnabledFor(self, level):
        return level >= self.getEffectiveLevel()

    def log(self, level, msg, *args):
        if self.isEnabledFor(level):
            text = str(msg) % args if args else str(msg)
            sys.stderr.write(f'{_names[level]}:{self.name}:{text}\n' if _set['is_basic'] else text + '\n')

    def debug(self, msg, *args):
        self.log(DEBUG, msg, *args)

    def info(self, msg, *args):
        self.log(INFO, msg, *args)

    def warning(self, msg, *args):
        self.log(WARNING, msg, *args)

    def error(self, msg, *args):
        self.log(ERROR, msg, *args)

    def critical(self, msg, *args):
        self.log(CRITICAL, msg, *args)

    def addHandler(self, handler):
        self.handlers.append(handler)


_loggers = {'root': Logger('root')}


def getLogger(name=None):
    if name is None:
        return _loggers['root']
    if name not in _loggers:
        _loggers[name] = Logger(name)
    return _loggers[name]


def basicConfig(level=WARNING, **kwargs):
    if kwargs:
        raise NotImplementedError('basicConfig(' + ', '.join(kwargs) + ')')
    _set['level'], _set['is_basic'] = level, True


def debug(msg, *args):
    _set['is_basic'] = True
    _loggers['root'].debug(msg, *args)


def info(msg, *args):
    _set['is_basic'] = True
    _loggers['root'].info(msg, *args)


def warning(msg, *args):
    _set['is_basic'] = True
    _loggers['root'].warning(msg, *args)


def error(msg, *args):
    _set['is_basic'] = True
    _loggers['root'].error(msg, *args)
