"""Every distribution of directions, held to the same promises about addresses."""

from __future__ import annotations

import contextlib
import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import zooadmm as zoo
from zooadmm.oracle.directions import BLOCK_ELEMENTS, Address, Distribution, block_rows
from zooadmm.oracle.queries import ForwardQuery
from zooadmm.oracle.randomness import Key, Purpose, generator_at, key_from

DISTRIBUTIONS = (
    zoo.paper.Sphere(),
    zoo.paper.Gaussian(),
    zoo.paper.Rademacher(),
    zoo.paper.Coordinate(),
    zoo.paper.Orthogonal(),
)
WITHOUT_REPLACEMENT = (zoo.paper.Coordinate(), zoo.paper.Orthogonal())
KEY = key_from(5)

every_distribution = pytest.mark.parametrize("mu", DISTRIBUTIONS, ids=lambda mu: type(mu).__name__)
both_dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])

SIZES = [
    (1, 5),
    (3, 10),
    (8, 3),
    (64, 70),
    (65, 70),
    (20, 1000),
    (33, 600),
    (100, 250),
    (999, 40),
    (1000, 50),
    (3001, 9),
    (BLOCK_ELEMENTS // 3, 8),  # blocks of 3 rows
    (BLOCK_ELEMENTS, 3),
    (BLOCK_ELEMENTS + 1, 3),  # a direction is longer than a block
]
"""(m, q): iterations that share a block with others, that have one, and that have several; also
q > m, where directions without replacement start over."""


def rows(
    mu: Distribution,
    m: int,
    start: int,
    stop: int,
    total: int,
    *,
    dtype: type = np.float64,
    t: int = 3,
    key: Key = KEY,
) -> np.ndarray:
    return mu.rows(Address(key, t, total), start, stop, m, dtype)


def parts(m: int, q: int) -> list[tuple[int, int]]:
    """(start, stop): all of them for a few rows, around the block and cycle ends for many."""
    if q <= 10:
        return list(itertools.combinations(range(q + 1), 2))
    ends = [0, 1, q // 2, q - 1, q]
    for period in (block_rows(m), m):
        ends += [n + d for n in range(period, q, period) for d in (-1, 0, 1)][:12]
    cuts = sorted({cut for cut in ends if 0 <= cut <= q})
    after_zero, before_q = [(0, cut) for cut in cuts[1:]], [(cut, q) for cut in cuts[:-1]]
    return [*itertools.pairwise(cuts), *after_zero, *before_q]


@both_dtypes
@every_distribution
@pytest.mark.parametrize(("m", "q"), SIZES)
def test_any_split_gives_the_same_bytes(mu: Distribution, m: int, q: int, dtype: type) -> None:
    whole = rows(mu, m, 0, q, q, dtype=dtype)
    assert whole.shape == (q, m)
    assert whole.dtype == dtype
    for start, stop in parts(m, q):
        part = rows(mu, m, start, stop, q, dtype=dtype)
        assert part.dtype == dtype
        assert part.shape == (stop - start, m)
        assert part.tobytes() == whole[start:stop].tobytes(), (start, stop)


@every_distribution
def test_the_order_of_requests_does_not_matter(mu: Distribution) -> None:
    m, q = 1000, 40
    whole = rows(mu, m, 0, q, q)
    shuffled = np.random.default_rng(0).permutation(q)
    for j in shuffled:
        rows(mu, 7, 0, 3, 3, t=99)  # somebody else draws in between
        assert rows(mu, m, j, j + 1, q).tobytes() == whole[j].tobytes()


@both_dtypes
@every_distribution
@pytest.mark.parametrize(("m", "q"), [(1, 1), (9, 2), (50, 4), (600, 27), (600, 28)])
def test_the_order_of_iterations_does_not_matter(
    mu: Distribution, m: int, q: int, dtype: type
) -> None:
    """Also where several iterations share a block."""
    iterations = range(1, 60)
    in_order = {t: rows(mu, m, 0, q, q, t=t, dtype=dtype).tobytes() for t in iterations}
    if m > 9:
        assert len(set(in_order.values())) == len(in_order)
    for t in np.random.default_rng(1).permutation(iterations).tolist():
        rows(mu, m, 0, q, q, t=t, key=(1, 2), dtype=dtype)  # another run
        assert rows(mu, m, 0, q, q, t=t, dtype=dtype).tobytes() == in_order[t]
        last = rows(mu, m, q - 1, q, q, t=t, dtype=dtype)
        assert last.tobytes() == in_order[t][-last.nbytes :]


@both_dtypes
@pytest.mark.parametrize("mu", DISTRIBUTIONS[:3], ids=lambda mu: type(mu).__name__)
@pytest.mark.parametrize(("m", "q"), [(7, 3), (64, 2), (237, 30), (900, 9)])
def test_iterations_that_share_a_block_divide_its_numbers_in_their_order(
    mu: Distribution, m: int, q: int, dtype: type
) -> None:
    shared, group = BLOCK_ELEMENTS // (m * q), 2
    of_group = range(group * shared + 1, (group + 1) * shared + 1)
    apart = [rows(mu, m, 0, q, q, t=t, dtype=dtype).tobytes() for t in of_group]
    generator = generator_at(KEY, Purpose.DIRECTIONS, group)
    assert b"".join(apart) == mu.draw(generator, shared * q, m, dtype).tobytes()


@every_distribution
def test_nobody_can_spoil_the_directions(mu: Distribution) -> None:
    before = [rows(mu, 10, 0, 3, 3, t=t).tobytes() for t in (1, 2)]
    z = rows(mu, 10, 0, 3, 3, t=1)
    with contextlib.suppress(ValueError):  # read-only, perhaps
        z[:] = 0.0
    assert [rows(mu, 10, 0, 3, 3, t=t).tobytes() for t in (1, 2)] == before


@every_distribution
def test_every_thread_finds_the_same_directions(mu: Distribution) -> None:
    expected = [rows(mu, 300, 0, 5, 5, t=t).tobytes() for t in range(1, 80)]
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda t: rows(mu, 300, 0, 5, 5, t=t).tobytes(), range(1, 80), chunksize=1)
        )
    assert found == expected


@every_distribution
def test_an_equal_key_is_the_same_key(mu: Distribution) -> None:
    first = rows(mu, 50, 0, 4, 4)
    again = rows(mu, 50, 0, 4, 4, key=(KEY[0] + 0, KEY[1] + 0))
    assert first.tobytes() == again.tobytes()


@every_distribution
def test_another_address_gives_other_directions(mu: Distribution) -> None:
    keys = [KEY, (KEY[0] ^ 1, KEY[1]), (KEY[0], KEY[1] ^ 1), (KEY[1], KEY[0]), (0, 0)]
    seen = set()
    for key, t in itertools.product(keys, (1, 2, 3, 10**6, 2**40)):
        seen.add(rows(mu, 100, 0, 5, 5, key=key, t=t).tobytes())
    assert len(seen) == 5 * len(keys)


@every_distribution
def test_the_lowest_bit_of_a_large_key_counts(mu: Distribution) -> None:
    first = rows(mu, 100, 0, 5, 5, key=(2**64 - 1, 2**63))
    for key in [(2**64 - 2, 2**63), (2**64 - 1, 2**63 + 1)]:
        assert first.tobytes() != rows(mu, 100, 0, 5, 5, key=key).tobytes()


@pytest.mark.parametrize("m", [1000, BLOCK_ELEMENTS + 1])
@every_distribution
def test_no_direction_repeats_across_block_boundaries(mu: Distribution, m: int) -> None:
    q = 2 * block_rows(m) + 1
    z = rows(mu, m, 0, q, q)
    assert len(np.unique(z, axis=0)) == q


@every_distribution
@both_dtypes
@pytest.mark.parametrize("m", [5, 1000, BLOCK_ELEMENTS // 2 + 1, BLOCK_ELEMENTS + 3])
def test_what_is_added_is_the_direction_times_the_factor(
    mu: Distribution, m: int, dtype: type
) -> None:
    """To the last bit."""
    for j, factor in ((0, 1.0), (2, 0.1), (3, -1 / 3)):
        direction = rows(mu, m, j, j + 1, 4, dtype=dtype)[0]
        v, out = np.linspace(-1.0, 1.0, m).astype(dtype), np.full(m, np.nan, dtype=dtype)
        wanted = (v + factor * direction).tobytes()
        mu.add(Address(KEY, 3, 4), j, factor, v, out)
        assert out.tobytes() == wanted
        mu.add(Address(KEY, 3, 4), j, factor, v, v)
        assert v.tobytes() == wanted


@pytest.mark.parametrize(("m", "size"), [(1, BLOCK_ELEMENTS), (100, 327), (10_000, 3), (50_000, 1)])
def test_a_block_depends_on_m_alone(m: int, size: int) -> None:
    assert block_rows(m) == size


@pytest.mark.parametrize("q", [1, 4, 5, 6, 10, 13])
def test_coordinates_visit_each_once_before_any_twice(q: int) -> None:
    m = 5
    z = rows(zoo.paper.Coordinate(), m, 0, q, q)
    np.testing.assert_array_equal(np.count_nonzero(z, axis=1), 1)
    visited = np.abs(z).argmax(axis=1)
    for start in range(0, q, m):
        cycle = visited[start : start + m]
        assert len(set(cycle)) == len(cycle)


def test_coordinates_are_in_another_order_in_another_cycle() -> None:
    m = 40
    z = rows(zoo.paper.Coordinate(), m, 0, 3 * m, 3 * m)
    visited = np.abs(z).argmax(axis=1).reshape(3, m)
    assert not np.array_equal(visited[0], visited[1])
    assert not np.array_equal(visited[1], visited[2])


@both_dtypes
@pytest.mark.parametrize(("m", "q"), [(1, 3), (5, 13), (70, 70), (1000, 200)])
def test_coordinates_point_up_or_down(m: int, q: int, dtype: type) -> None:
    """Each row is +-sqrt(m) e_i, and which it is changes from t to t, row to row and run to run."""
    z = rows(zoo.paper.Coordinate(), m, 0, q, q, dtype=dtype)
    nonzero = z[z != 0]
    assert nonzero.size == q
    assert set(np.abs(nonzero)) == {dtype(np.sqrt(m))}
    signs = [
        np.sign(rows(zoo.paper.Coordinate(), m, 0, q, q, t=t, key=key).sum(axis=1))
        for t in range(1, 21)
        for key in (KEY, (1, 2))
    ]
    together = np.array(signs)
    assert set(together.ravel()) == {-1.0, 1.0}
    assert 0.35 < (together > 0).mean() < 0.65
    assert (together != together[0]).any(axis=0).all()
    if q > 10:
        assert len({row.tobytes() for row in together}) == len(together)
        assert 0 < (together[0] > 0).sum() < q


def test_orthogonal_directions_beyond_m_are_new_ones() -> None:
    """A second cycle has signs of its own: its directions are not those of the first again."""
    m = 16
    z = rows(zoo.paper.Orthogonal(), m, 0, 2 * m, 2 * m)
    first, second = z[:m], z[m:]
    np.testing.assert_allclose(first @ first.T, m * np.eye(m), atol=1e-12)
    np.testing.assert_allclose(second @ second.T, m * np.eye(m), atol=1e-12)
    assert np.abs(first @ second.T).max() < 0.999 * m


@pytest.mark.parametrize("mu", WITHOUT_REPLACEMENT, ids=lambda mu: type(mu).__name__)
def test_without_replacement_in_a_large_dimension(mu: Distribution) -> None:
    m, q = 20_000, 6
    z = rows(mu, m, 0, q, q)
    np.testing.assert_allclose(z @ z.T, m * np.eye(q), atol=1e-9 * m)


@both_dtypes
@every_distribution
def test_float32_directions_are_of_the_right_length(mu: Distribution, dtype: type) -> None:
    m, q = 300, 20
    lengths = np.linalg.norm(rows(mu, m, 0, q, q, dtype=dtype).astype(np.float64), axis=1)
    if mu == zoo.paper.Gaussian():
        assert np.all(np.abs(lengths / np.sqrt(m) - 1) < 0.3)
    else:
        np.testing.assert_allclose(lengths, np.sqrt(m), rtol=10 * np.finfo(dtype).eps)


@both_dtypes
@every_distribution
@pytest.mark.parametrize(("m", "q"), [(4, 6), (1000, 40), (30_000, 40)])
def test_a_query_makes_its_points_from_these_directions(
    mu: Distribution, m: int, q: int, dtype: type
) -> None:
    """Whether it keeps the directions or, for the last size, makes them block by block."""
    x = np.linspace(-1, 1, m).astype(dtype)
    query = ForwardQuery(3, x, 0.25, mu, Address(KEY, 3, q), None, None)
    z = rows(mu, m, 0, q, q, dtype=dtype)
    expected = np.vstack([x, x + 0.25 * z])
    assert query.points.dtype == dtype
    np.testing.assert_array_equal(query.points, expected)
    stops = [stop for _, stop in query.spans()]
    assert stops == [min(n, q) for n in range(block_rows(m), q + block_rows(m), block_rows(m))]
    assert b"".join(query.directions(*span).tobytes() for span in query.spans()) == z.tobytes()


@every_distribution
def test_distributions_print_and_compare_by_value(mu: Distribution) -> None:
    assert mu == type(mu)()
    assert hash(mu) == hash(type(mu)())
    assert repr(mu) == f"{type(mu).__name__}()"
    assert sum(mu == other for other in DISTRIBUTIONS) == 1
