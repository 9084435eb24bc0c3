"""Whether the bytes on the GPU are what the heap's books say, and whether the books agree.

In:    a heap, and the words of its pages, header rows and records as they were read back.
Out:   :class:`Fault` objects, collected by :class:`Faults`; what the records should be, as
       :class:`BucketBooks`.
Keeps: nothing is changed, not even what is marked; a wrong word is reported by one check.

Books are made from the objects that own memory, never from the words that are checked.
"""

from heapscene.heap.validate.bucket_books import BucketBooks as BucketBooks
from heapscene.heap.validate.everything import check_heap as check_heap
from heapscene.heap.validate.fault import CHECKS as CHECKS
from heapscene.heap.validate.fault import Fault as Fault
from heapscene.heap.validate.fault import Faults as Faults
from heapscene.heap.validate.fault import Place as Place
