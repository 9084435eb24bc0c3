"""Programs and their inputs, ready to use with :class:`~heapscene.scene.Mesh`.

In:   colours (sRGB, straight alpha) and numbers, or adaptive values of those.
Out:  ``program``, ``inputs`` and ``state``, as :class:`~heapscene.draw.Material` asks for.
Keeps: all materials of a class share one program, so any number of them share a draw call.
"""

from heapscene.materials.material import ShadedMaterial as ShadedMaterial
from heapscene.materials.phong import PhongMaterial as PhongMaterial
from heapscene.materials.unlit import UnlitMaterial as UnlitMaterial
