from heapscene.gpu import Counters


def test_since_is_the_difference_to_a_snapshot() -> None:
    counters = Counters()
    counters.count_upload(10)
    before = counters.snapshot()
    counters.count_upload(6)
    counters.buffers_created += 1
    assert counters.since(before) == Counters(6, 1, 1, 0, 0)
    assert before == Counters(10, 1)
