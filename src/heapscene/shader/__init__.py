"""(side road) Python functions become WGSL."""

from heapscene.shader.interface import Interface as Interface
from heapscene.shader.interface import ProgramLike as ProgramLike
