"""From IR modules to WGSL text: :func:`heapscene.shader.wgsl.emit.emit`."""
