"""The typed IR: the one contract between front-end, analyses and emission.

In:    constructors of :mod:`.build` and :mod:`.body`, called by the front-end and by whoever makes functions by hand.
Out:   :class:`Function` and :class:`Module`, to hash, verify, print or emit.
Keeps: an expression that exists is well typed; values are frozen; equal content has an equal hash.
"""
