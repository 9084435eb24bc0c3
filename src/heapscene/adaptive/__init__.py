"""1. Values that change.

In:    plain values, assigned by whoever holds a cell.
Out:   current values, on demand; keys of what may have changed, through a :class:`Sink`.
Keeps: what a value was computed from, strongly; who has read it, weakly.
"""

from heapscene.adaptive.adict import ADict as ADict
from heapscene.adaptive.adict import CDict as CDict
from heapscene.adaptive.adict import DictDelta as DictDelta
from heapscene.adaptive.adict import DictReader as DictReader
from heapscene.adaptive.adict import cdict as cdict
from heapscene.adaptive.alist import AList as AList
from heapscene.adaptive.alist import CList as CList
from heapscene.adaptive.alist import ListDelta as ListDelta
from heapscene.adaptive.alist import ListReader as ListReader
from heapscene.adaptive.alist import Operation as Operation
from heapscene.adaptive.alist import alist as alist
from heapscene.adaptive.alist import clist as clist
from heapscene.adaptive.aset import ASet as ASet
from heapscene.adaptive.aset import CSet as CSet
from heapscene.adaptive.aset import aset as aset
from heapscene.adaptive.aset import cset as cset
from heapscene.adaptive.aset import union_all as union_all
from heapscene.adaptive.clock import Tick as Tick
from heapscene.adaptive.clock import clock as clock
from heapscene.adaptive.clock import tick_clock as tick_clock
from heapscene.adaptive.delta import SetDelta as SetDelta
from heapscene.adaptive.delta import SetReader as SetReader
from heapscene.adaptive.equality import same as same
from heapscene.adaptive.inbox import drain_posted as drain_posted
from heapscene.adaptive.inbox import post as post
from heapscene.adaptive.node import adopt_thread as adopt_thread
from heapscene.adaptive.node import claim_thread as claim_thread
from heapscene.adaptive.node import evaluations as evaluations
from heapscene.adaptive.node import live_nodes as live_nodes
from heapscene.adaptive.pause import collector_paused as collector_paused
from heapscene.adaptive.reading import Reading as Reading
from heapscene.adaptive.reading import refuses as refuses
from heapscene.adaptive.sink import OwnEdge as OwnEdge
from heapscene.adaptive.sink import Sink as Sink
from heapscene.adaptive.transaction import Subscription as Subscription
from heapscene.adaptive.transaction import transact as transact
from heapscene.adaptive.unique import OwnCopy as OwnCopy
from heapscene.adaptive.unique import Unique as Unique
from heapscene.adaptive.value import AVal as AVal
from heapscene.adaptive.value import CVal as CVal
from heapscene.adaptive.value import amap as amap
from heapscene.adaptive.value import check_write as check_write
from heapscene.adaptive.value import computed as computed
from heapscene.adaptive.value import constant as constant
from heapscene.adaptive.value import cval as cval
