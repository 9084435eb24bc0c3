"""6. Records become draw calls, on the GPU.

In:   the records of a bucket and the page that their indices lie on.
Out:  prefix sums, a tile table, indirect arguments and an index buffer, see :func:`plan`.
Keeps: each kernel computes what its NumPy twin computes, bit for bit, whatever the scheduling.

All of them are written in the shader language.
"""

from heapscene.kernels.args import ARGS_WORDS as ARGS_WORDS
from heapscene.kernels.args import args_reference as args_reference
from heapscene.kernels.args import write_args as write_args
from heapscene.kernels.bucket_passes import LARGEST_EMITTED as LARGEST_EMITTED
from heapscene.kernels.bucket_passes import LARGEST_VERTEX as LARGEST_VERTEX
from heapscene.kernels.bucket_passes import BucketLoad as BucketLoad
from heapscene.kernels.bucket_passes import BufferSizes as BufferSizes
from heapscene.kernels.bucket_passes import Dispatch as Dispatch
from heapscene.kernels.bucket_passes import Encoding as Encoding
from heapscene.kernels.bucket_passes import SlotLoad as SlotLoad
from heapscene.kernels.bucket_passes import buffer_sizes as buffer_sizes
from heapscene.kernels.bucket_passes import most_emitted as most_emitted
from heapscene.kernels.bucket_passes import plan as plan
from heapscene.kernels.bucket_passes import workgroups as workgroups
from heapscene.kernels.encode import BucketKernels as BucketKernels
from heapscene.kernels.encode import ComputePass as ComputePass
from heapscene.kernels.expand import Part as Part
from heapscene.kernels.expand import expand_reference as expand_reference
from heapscene.kernels.expand import write_indices as write_indices
from heapscene.kernels.fetch import HeapShader as HeapShader
from heapscene.kernels.fetch import heap_shader as heap_shader
from heapscene.kernels.frame_layout import FrameLayout as FrameLayout
from heapscene.kernels.kernel import Kernel as Kernel
from heapscene.kernels.probe import PROBE_WORDS as PROBE_WORDS
from heapscene.kernels.probe import probe_emitted as probe_emitted
from heapscene.kernels.probe import probe_reference as probe_reference
from heapscene.kernels.probe import probe_vertices as probe_vertices
from heapscene.kernels.records import Params as Params
from heapscene.kernels.records import Record as Record
from heapscene.kernels.records import contributions as contributions
from heapscene.kernels.scan import scan_reference as scan_reference
from heapscene.kernels.scan import scan_sums as scan_sums
from heapscene.kernels.scan import sum_blocks as sum_blocks
from heapscene.kernels.scan import write_firsts as write_firsts
from heapscene.kernels.scatter import scatter as scatter
from heapscene.kernels.scatter import scatter_reference as scatter_reference
from heapscene.kernels.table_checks import KernelTables as KernelTables
from heapscene.kernels.table_checks import TableChecks as TableChecks
from heapscene.kernels.tiles import TILE as TILE
from heapscene.kernels.tiles import tiles_reference as tiles_reference
from heapscene.kernels.tiles import write_emitted_tiles as write_emitted_tiles
from heapscene.kernels.tiles import write_vertex_tiles as write_vertex_tiles
