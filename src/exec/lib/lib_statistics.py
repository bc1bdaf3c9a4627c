# SPDX-License-Identifier: Apache-2.0
# statistics, of numbers. Python rounds exact sums once, these may differ from it in the last bit.
import math


class StatisticsError(ValueError):
    pass


def fmean(data):
    data = list(data)
    if not data:
        raise StatisticsError('fmean requires at least one data point')
    return math.fsum(data) / len(data)


def mean(data):
    data = list(data)
    if not data:
        raise StatisticsError('mean requires at least one data point')
    if all(isinstance(x, int) for x in data):
        total = sum(data)
        return total // len(data) if total % len(data) == 0 else total / len(data)
    return math.fsum(data) / len(data)


def median(data):
    data = sorted(data)
    n = len(data)
    if not n:
        raise StatisticsError('no median for empty data')
    return data[n // 2] if n % 2 else (data[n // 2 - 1] + data[n // 2]) / 2


def variance(data):
    data = list(data)
    if len(data) < 2:
        raise StatisticsError('variance requires at least two data points')
    center = fmean(data)
    return math.fsum((x - center) ** 2 for x in data) / (len(data) - 1)


def stdev(data):
    return math.sqrt(variance(data))


def pstdev(data):
    data = list(data)
    center = fmean(data)
    return math.sqrt(math.fsum((x - center) ** 2 for x in data) / len(data))
