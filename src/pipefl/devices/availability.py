"""When each client can be reached: on and off through the day, as phones are."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipefl.checks import count, non_negative_seconds
from pipefl.errors import ArgumentError

# A step or two of a float suffices, unless intervals are shorter than such a step.
_MOST_ATTEMPTS = 64


@dataclass(frozen=True, eq=False)
class Availability:
    r"""The intervals in which M clients are available; `read_availability` makes it.

    .. math:: a_m(t) = \big[\exists i:\ s_{m,i} \le t \bmod P < e_{m,i}\big]

    Legend: s `start_s` and e `end_s` of client m are `start_s[offset[m]:offset[m + 1]]` and
    the like, ascending and not overlapping, in seconds from 0; an end may be infinite where
    nothing repeats. P `period_s`, after which all of it comes again, or None. `client_id`
    has the M names.

    >>> start, end = np.array([0.0, 60.0, 30.0]), np.array([20.0, 80.0, 40.0])
    >>> names = np.array(["phone", "tablet"], object)
    >>> trace = Availability(names, start, end, np.array([0, 2, 3]), period_s=100.0)
    >>> trace.available(135.0)
    array([False,  True])
    >>> trace.next_available(0, 90.0), trace.next_available(0, 110.0)
    (100.0, 110.0)
    """

    client_id: NDArray[np.object_]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]
    offset: NDArray[np.int64]
    period_s: float | None = None

    @property
    def num_clients(self) -> int:
        """M."""
        return self.offset.size - 1

    def available(self, time_s: float) -> NDArray[np.bool_]:
        """Which clients are available at that time. O(M log I) with I intervals a client."""
        phase_s = self._phase_s(non_negative_seconds("time_s", time_s))
        last = self._num_started(phase_s) - 1
        started = last >= self.offset[:-1]
        available = np.zeros(self.num_clients, dtype=np.bool_)
        available[started] = phase_s < self.end_s[last[started]]
        return available

    def next_available(self, client: int, time_s: float) -> float | None:
        """The earliest time, from `time_s` on, at which a client is available. O(log I).

        It is `time_s` itself if the client is available then, and None if it never is
        again. With a period it is exact but for the last digit of a float, and
        `available` agrees with it.
        """
        now_s = non_negative_seconds("time_s", time_s)
        number = count("client", client, minimum=0, maximum=self.num_clients - 1)
        its = slice(self.offset[number], self.offset[number + 1])
        starts, ends = self.start_s[its], self.end_s[its]
        candidate_s = now_s
        for _ in range(_MOST_ATTEMPTS):
            phase_s = self._phase_s(candidate_s)
            open_s = self._next_open_s(starts, ends, phase_s)
            if open_s is None or open_s == phase_s:
                return None if open_s is None else candidate_s
            later_s = candidate_s - phase_s + open_s
            candidate_s = max(later_s, math.nextafter(candidate_s, math.inf))
        accepted = "it must be so small that its last digit tells the intervals apart"
        raise ArgumentError("time_s", now_s, accepted)

    def first_available(self, clients: NDArray[np.intp], time_s: float) -> float | None:
        """The earliest time, from `time_s` on, at which any of these clients is available.

        As `next_available` of all of them, at once. O(M log I).
        """
        now_s = non_negative_seconds("time_s", time_s)
        phase_s = self._phase_s(now_s)
        upcoming = self._num_started(phase_s)
        in_period = upcoming < self.offset[1:]
        opens_s = np.full(self.num_clients, np.inf)
        opens_s[in_period] = self.start_s[upcoming[in_period]]
        if self.period_s is not None:
            again = ~in_period & (self.offset[:-1] < self.offset[1:])
            opens_s[again] = self.period_s + self.start_s[self.offset[:-1][again]]
        opens_s[self.available(now_s)] = phase_s
        its_s = opens_s[clients]
        if not np.isfinite(its_s).any():
            return None
        return self.next_available(int(clients[its_s.argmin()]), now_s)

    def _phase_s(self, time_s: float) -> float:
        return time_s if self.period_s is None else math.fmod(time_s, self.period_s)

    def _num_started(self, phase_s: float) -> NDArray[np.int64]:
        """For each client the index after its last interval that starts by then.

        All clients' binary searches take their steps together.
        """
        low, high = self.offset[:-1].copy(), self.offset[1:].copy()
        searching = np.flatnonzero(low < high)
        while searching.size:
            middle = (low[searching] + high[searching]) // 2
            started = self.start_s[middle] <= phase_s
            low[searching[started]] = middle[started] + 1
            high[searching[~started]] = middle[~started]
            searching = searching[low[searching] < high[searching]]
        return low

    def _next_open_s(
        self, starts: NDArray[np.float64], ends: NDArray[np.float64], phase_s: float
    ) -> float | None:
        """The first time within an interval from that phase on; past P in the next period."""
        upcoming = int(np.searchsorted(ends, phase_s, side="right"))
        if upcoming < starts.size:
            return max(phase_s, float(starts[upcoming]))
        if self.period_s is None or not starts.size:
            return None
        return self.period_s + float(starts[0])
