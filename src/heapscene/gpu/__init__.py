"""5. The folder that calls wgpu.

In:   NumPy words with dirty ranges, WGSL texts, pipeline states.
Out:  buffers, bind groups and pipelines; pictures and buffers read back.
Keeps: what did not change is not sent (but for a fifth, where that is cheaper) and not made again, and
       :class:`Counters` can prove it; only WebGPU's default limits are needed.

wgpu is imported inside functions: importing heapscene touches no driver.
"""

from heapscene.gpu.bind import BindGroup as BindGroup
from heapscene.gpu.bind import Binding as Binding
from heapscene.gpu.bind import Layouts as Layouts
from heapscene.gpu.bind import Resource as Resource
from heapscene.gpu.buffer import GpuBuffer as GpuBuffer
from heapscene.gpu.buffer import SmallBuffer as SmallBuffer
from heapscene.gpu.buffer import Usage as Usage
from heapscene.gpu.counters import Counters as Counters
from heapscene.gpu.device import DEFAULT_LIMITS as DEFAULT_LIMITS
from heapscene.gpu.device import adapter_facts as adapter_facts
from heapscene.gpu.device import request_device as request_device
from heapscene.gpu.device import shared_device as shared_device
from heapscene.gpu.faults import GpuCalls as GpuCalls
from heapscene.gpu.faults import check_alive as check_alive
from heapscene.gpu.faults import submit as submit
from heapscene.gpu.mirror import Mirror as Mirror
from heapscene.gpu.mirror import WordsLike as WordsLike
from heapscene.gpu.pipeline import Pipelines as Pipelines
from heapscene.gpu.pipeline import RenderSpec as RenderSpec
from heapscene.gpu.pipeline import pipelines_of as pipelines_of
from heapscene.gpu.readback import read_buffer as read_buffer
from heapscene.gpu.readback import read_texture as read_texture
from heapscene.gpu.timing import Timer as Timer
from heapscene.gpu.upload import Scatter as Scatter
from heapscene.gpu.upload import ScatterKernel as ScatterKernel
