from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.renderer.graph.layout.ranking import topological_order
from trexreport.renderer.graph.layout.simplex import Constraint, solve


def _cost(constraints, values):
    return sum(item.weight * (values[item.head] - values[item.tail]) for item in constraints)


def _feasible(constraints, values):
    return all(values[item.head] - values[item.tail] >= item.length for item in constraints)


def _longest_paths(count, constraints):
    values = [0] * count
    for vertex in topological_order(count, [(item.tail, item.head) for item in constraints]):
        for item in constraints:
            if item.tail == vertex:
                values[item.head] = max(values[item.head], values[vertex] + item.length)
    return values


_PROBLEMS = st.integers(2, 5).flatmap(
    lambda count: st.tuples(
        st.just(count),
        st.lists(
            st.integers(0, count - 2).flatmap(
                lambda tail: st.tuples(
                    st.just(tail), st.integers(tail + 1, count - 1), st.integers(0, 1), st.integers(0, 3)
                )
            ),
            min_size=1,
            max_size=8,
        ),
    )
)


@settings(max_examples=80, deadline=None)
@given(_PROBLEMS)
def test_the_result_is_as_cheap_as_the_best_of_all_feasible_values(problem):
    count, items = problem
    constraints = [Constraint(*item) for item in items]
    solved = solve(constraints, _longest_paths(count, constraints), 100_000)
    assert _feasible(constraints, solved)
    feasible = (values for values in product(range(5), repeat=count) if _feasible(constraints, values))
    assert _cost(constraints, solved) == min(_cost(constraints, values) for values in feasible)


def test_values_stay_feasible_when_the_budget_is_spent():
    constraints = [Constraint(vertex, vertex + 1, 1, 1) for vertex in range(50)]
    constraints += [Constraint(0, vertex, 1, 3) for vertex in range(5, 50, 3)]
    start = [2 * vertex for vertex in range(51)]
    assert _feasible(constraints, solve(constraints, start, 1))
