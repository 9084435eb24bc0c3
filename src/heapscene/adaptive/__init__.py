"""1. Values that change.

In:    plain values, assigned by whoever holds a cell.
Out:   current values, on demand; keys of what may have changed, through a :class:`Sink`.
Keeps: what a value was computed from, strongly; who has read it, weakly.
"""

from heapscene.adaptive.equality import same as same
from heapscene.adaptive.node import adopt_thread as adopt_thread
from heapscene.adaptive.node import evaluations as evaluations
from heapscene.adaptive.sink import Sink as Sink
from heapscene.adaptive.transaction import transact as transact
from heapscene.adaptive.value import AVal as AVal
from heapscene.adaptive.value import CVal as CVal
from heapscene.adaptive.value import computed as computed
from heapscene.adaptive.value import constant as constant
from heapscene.adaptive.value import cval as cval
