"""The typed IR: the one contract between front-end, analyses and emission.

In:    constructors and :class:`FunctionBuilder`, called by the front-end and by whoever makes
functions by hand. Out:   :class:`Function` and :class:`Module`, to hash, verify, print or emit.
Keeps: an expression that exists is well typed; values are frozen; equal content has an equal hash.
"""

from heapscene.shader.ir.body import FunctionBuilder as FunctionBuilder
from heapscene.shader.ir.build import Operand as Operand
from heapscene.shader.ir.build import binary as binary
from heapscene.shader.ir.build import bitcast as bitcast
from heapscene.shader.ir.build import call as call
from heapscene.shader.ir.build import construct as construct
from heapscene.shader.ir.build import convert as convert
from heapscene.shader.ir.build import expression as expression
from heapscene.shader.ir.build import field as field
from heapscene.shader.ir.build import index as index
from heapscene.shader.ir.build import intrinsic as intrinsic
from heapscene.shader.ir.build import literal as literal
from heapscene.shader.ir.build import struct as struct
from heapscene.shader.ir.build import swizzle as swizzle
from heapscene.shader.ir.build import unary as unary
from heapscene.shader.ir.build import zero as zero
from heapscene.shader.ir.hash import function_hash as function_hash
from heapscene.shader.ir.hash import module_hash as module_hash
from heapscene.shader.ir.nodes import EntryPoint as EntryPoint
from heapscene.shader.ir.nodes import Expr as Expr
from heapscene.shader.ir.nodes import Function as Function
from heapscene.shader.ir.nodes import Local as Local
from heapscene.shader.ir.nodes import Module as Module
from heapscene.shader.ir.nodes import Port as Port
from heapscene.shader.ir.nodes import Resource as Resource
from heapscene.shader.ir.nodes import Span as Span
from heapscene.shader.ir.print import print_function as print_function
from heapscene.shader.ir.usage import fields_read as fields_read
from heapscene.shader.ir.verify import verify_function as verify_function
from heapscene.shader.ir.verify import verify_module as verify_module
from heapscene.shader.ir.visit import reachable_functions as reachable_functions
from heapscene.shader.ir.visit import reachable_resources as reachable_resources
from heapscene.shader.ir.visit import walk as walk
