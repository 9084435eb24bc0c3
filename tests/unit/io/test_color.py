import numpy as np
import pytest

from heapscene.io.color import linear_to_srgb


def test_known_values():
    linear = [0, 0.0031308, 0.21404114048223255, 0.5, 1]
    np.testing.assert_allclose(
        linear_to_srgb(linear), [0, 0.040449936, 0.5, 0.7353569830524495, 1], atol=1e-8
    )


def test_it_inverts_the_definition():
    srgb = np.linspace(0, 1, 1001)
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    np.testing.assert_allclose(linear_to_srgb(linear), srgb, atol=1e-6)


@pytest.mark.parametrize(("given", "expected"), [(-1, 0), (2, 1), (np.nan, 0), (np.inf, 1)])
def test_outside_values_are_clipped(given, expected):
    assert linear_to_srgb(np.array(given)) == pytest.approx(expected)
