"""Ten thousand boxes
==================

Every box is an object of its own, with a colour that may change. All of them are one draw call; the
second picture uploads the ten colours that changed, and nothing else.
"""

# gallery: image    test: run    budget: draw_calls<=1 bytes_uploaded<=1000

import math

import heapscene as hs

SIDE = 100

box = hs.geometry.box(0.8, 0.8, 0.8)
colors = []
scene = hs.Scene()
for x in range(SIDE):
    for z in range(SIDE):
        color = hs.cval((x / SIDE, 0.4, z / SIDE))
        height = 2 * math.sin(x / 9) * math.cos(z / 7)
        colors.append(color)
        scene.add(hs.Mesh(box, hs.PhongMaterial(color), position=(x, height, z)))

with hs.Renderer(size=(400, 300)) as renderer:
    before = renderer.render(scene)
    with hs.transact():
        for color in colors[5050:5060]:
            color.value = "white"
    image = renderer.render(scene)
    report = renderer.report
hs.save_image("ten_thousand_boxes.png", image)
