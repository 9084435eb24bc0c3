"""A first picture
===============

A scene of three meshes becomes an array of pixels. No window is opened, and no camera is needed.
"""

# gallery: image    test: run

import heapscene as hs

scene = hs.Scene(
    hs.Mesh(hs.geometry.box(), hs.PhongMaterial("tomato")),
    hs.Mesh(hs.geometry.sphere(), hs.PhongMaterial("#4a90d9"), position=(1.2, 0, 0)),
    hs.Mesh(hs.geometry.cone(), hs.PhongMaterial("gold"), position=(0, 0, 1.2)),
)
image = hs.render(scene, size=(400, 300))
hs.save_image("first_picture.png", image)
