import numpy as np
import pytest
from PIL import Image

from heapscene.errors import InputError
from heapscene.io import save_image


@pytest.mark.parametrize("channels", [3, 4])
def test_png_keeps_every_byte(tmp_path, channels):
    picture = np.random.default_rng(1).integers(256, size=(5, 7, channels)).astype(np.uint8)
    save_image(tmp_path / "a.png", picture)
    with Image.open(tmp_path / "a.png") as written:
        np.testing.assert_array_equal(np.asarray(written), picture)


def test_jpeg_drops_alpha(tmp_path):
    save_image(str(tmp_path / "a.JPG"), np.full((8, 8, 4), 128, np.uint8)[::2])
    with Image.open(tmp_path / "a.JPG") as written:
        assert (written.size, written.mode) == ((8, 4), "RGB")


@pytest.mark.parametrize(
    "picture",
    [
        np.zeros((4, 4, 4)),
        np.zeros((4, 4), np.uint8),
        np.zeros((4, 4, 2), np.uint8),
        np.zeros((0, 4, 4), np.uint8),
    ],
)
def test_what_is_no_picture_is_refused(tmp_path, picture):
    with pytest.raises(InputError, match="uint8 array"):
        save_image(tmp_path / "a.png", picture)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a", "a.gif2", "nowhere/a.png", "folder.png"])
def test_a_path_that_cannot_be_written_is_refused(tmp_path, name):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InputError):
        save_image(tmp_path / name, np.zeros((4, 4, 4), np.uint8))


def test_a_picture_that_the_format_cannot_hold_is_refused(tmp_path):
    with pytest.raises(InputError, match="webp"):
        save_image(tmp_path / "a.webp", np.zeros((1, 16_384, 3), np.uint8))
