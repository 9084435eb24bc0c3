"""4. Paged memory: draws become arrays with the GPU's layout, and ranges of them that changed.

In:    :class:`~heapscene.draw.DrawChange` steps, and adaptive values that were marked.
Out:   pages, header rows and records as NumPy words with dirty ranges; the drawing order.
Keeps: a draw's arrays on one page; ranks; every byte the same while nothing changed; a failing
       batch changes nothing.
"""

from heapscene.heap.allocator import Allocator as Allocator
from heapscene.heap.bucket import Bucket as Bucket
from heapscene.heap.bucket_limits import BucketLimits as BucketLimits
from heapscene.heap.check import check as check
from heapscene.heap.dirty import DirtyRanges as DirtyRanges
from heapscene.heap.draw_heap import DrawHeap as DrawHeap
from heapscene.heap.layout import COUNT as COUNT
from heapscene.heap.layout import RECORD as RECORD
from heapscene.heap.layout import RECORD_WORDS as RECORD_WORDS
from heapscene.heap.memory import Memory as Memory
from heapscene.heap.page import Page as Page
from heapscene.heap.plan import CORNERS as CORNERS
from heapscene.heap.schema import HeaderField as HeaderField
from heapscene.heap.slot import Slot as Slot
from heapscene.heap.validate import CHECKS as CHECKS
from heapscene.heap.validate import BucketBooks as BucketBooks
from heapscene.heap.validate import Fault as Fault
from heapscene.heap.validate import Faults as Faults
from heapscene.heap.validate import Place as Place
from heapscene.heap.validate import check_heap as check_heap
from heapscene.heap.words import Words as Words
