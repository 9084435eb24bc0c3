"""One parse brings all types that wgpu asks for."""

import pytest

from heapscene.gpu.warm import teach_types


def test_taught_types_are_those_that_cffi_parses(device):
    from wgpu.backends.wgpu_native import ffi

    taught = dict(ffi._parsed_types)
    names = [name for name in taught if name.startswith(("WGPU", "void(", "uint", "intptr"))]
    assert len(names) > 60
    for name in names:
        ffi._parsed_types.pop(name)
        assert ffi._typeof(name, consider_function_as_funcptr=True) == taught[name][0], name
        assert ffi._parsed_types[name] == taught[name], name


@pytest.mark.parametrize("ffi", [object(), type("Ffi", (), {"_parsed_types": {}})()])
def test_another_cffi_is_left_alone(ffi):
    assert not teach_types(ffi)
