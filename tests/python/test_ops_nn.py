"""ContrastReg, info_nce, top_k and spmm against brute force in float64."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import torch

import contrast_reg as cr


def rows(n: int, d: int, seed: int, device: str = "cpu") -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, d, generator=generator).to(device)


def brute_info_nce(u: Any, v: Any, temperature: float, own: bool) -> Any:
    """Term by term; of tensors in float64."""
    u = u / u.norm(dim=1, keepdim=True).clamp_min(1e-12)
    v = v / v.norm(dim=1, keepdim=True).clamp_min(1e-12)
    total = torch.zeros((), dtype=torch.float64)
    for a, b in ((u, v), (v, u)):
        for i in range(len(a)):
            positive = torch.exp(a[i] @ b[i] / temperature)
            others = [torch.exp(a[i] @ a[j] / temperature) for j in range(len(a)) if j != i]
            if not own:
                others += [torch.exp(a[i] @ b[j] / temperature) for j in range(len(a)) if j != i]
            total = total - torch.log(positive / (positive + sum(others)))
    return total / (2 * len(u))


@pytest.mark.parametrize("negatives", ["both", "own"])
@pytest.mark.parametrize(("n", "d"), [(2, 3), (17, 5), (33, 16)])
def test_info_nce(n: int, d: int, negatives: str, device: str) -> None:
    u, v = rows(n, d, 0, device).requires_grad_(), rows(n, d, 1, device).requires_grad_()
    loss = cr.ops.info_nce(u, v, temperature=0.4, negatives=negatives)
    (loss * 3).backward()
    a = u.detach().cpu().double().requires_grad_()
    b = v.detach().cpu().double().requires_grad_()
    expected = brute_info_nce(a, b, 0.4, negatives == "own")
    (expected * 3).backward()
    torch.testing.assert_close(loss.detach().cpu().double(), expected.detach(), rtol=1e-5, atol=1e-6)
    assert u.grad is not None and v.grad is not None
    torch.testing.assert_close(u.grad.cpu().double(), a.grad, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(v.grad.cpu().double(), b.grad, rtol=1e-4, atol=1e-6)


def test_info_nce_of_views_that_are_not_contiguous(device: str) -> None:
    wide = rows(9, 8, 2, device)
    u, v = wide[:, ::2], wide.t()[:4].t()
    got = cr.ops.info_nce(u, v)
    expected = cr.ops.info_nce(u.clone(), v.clone())
    torch.testing.assert_close(got, expected)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda z: cr.ops.info_nce(z.double(), z), "z1: wrong dtype: found torch.float64"),
        (lambda z: cr.ops.info_nce(z, z[:2]), "z2: views of different shapes"),
        (lambda z: cr.ops.info_nce(z[0], z), "z1: wrong shape"),
        (lambda z: cr.ops.info_nce(z, z, temperature=0), "temperature: out of range"),
        (lambda z: cr.ops.info_nce(z, z, negatives="all"), 'negatives: .*"both" or "own"'),
        (lambda z: cr.ops.info_nce(z, z, precision="fp8"), "precision"),
        (lambda z: cr.ops.info_nce(z.numpy(), z), "z1: not a tensor: found ndarray"),
        (lambda z: cr.ops.info_nce(z[:0], z[:0]), r"z1: there are no rows: found \(0, 3\)"),
        (lambda z: cr.ops.info_nce(z, z, temperature="a"), "temperature: not a number: found 'a'"),
        (
            lambda z: cr.ops.info_nce(z, z, temperature=torch.ones((), requires_grad=True)),
            "temperature: a temperature gets no gradient",
        ),
        (lambda z: cr.ops.sparse(torch.eye(3).to_sparse_csr()) @ z, "rows: not rows for this"),
        (lambda z: cr.ops.sparse(torch.eye(4).to_sparse_csr()) @ z.double(), "found float64"),
        (lambda z: cr.ops.top_k(z, 0), "k: out of range"),
        (lambda z: cr.ops.top_k(z, 5), "k: more than there are: found 5, expected at most 4"),
        (lambda z: cr.ops.top_k(z, 4, include_self=False), "at most 3"),
        (lambda z: cr.ops.top_k(z, 2, similarity="l2"), "similarity"),
        (lambda z: cr.ops.spmm(torch.eye(4), z), "adjacency: not a sparse matrix.*to_sparse_csr"),
        (lambda z: cr.ops.spmm(torch.eye(3).to_sparse_csr(), z), "h: not as many rows"),
    ],
)
def test_ops_say_what_is_wrong(call: Any, words: str) -> None:
    with pytest.raises(cr.InputError, match=words):
        call(rows(4, 3, 0))


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize("include_self", [True, False])
def test_top_k(similarity: str, include_self: bool, device: str) -> None:
    z = rows(40, 6, 3, device)
    values, indices = cr.ops.top_k(z, 5, similarity, include_self)
    assert indices.dtype == torch.int64 and values.shape == indices.shape == (40, 5)
    exact = z.cpu().double().numpy()
    if similarity == "cosine":
        exact = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    scores = exact @ exact.T
    if not include_self:
        np.fill_diagonal(scores, -np.inf)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(indices.cpu().numpy(), order)
    np.testing.assert_allclose(
        values.cpu().numpy(), np.take_along_axis(scores, order, 1), rtol=1e-4, atol=1e-5
    )


def random_matrix(n: int, m: int) -> np.ndarray[Any, Any]:
    drawn = np.random.default_rng(0)
    return np.where(drawn.random((n, m)) < 0.3, drawn.normal(size=(n, m)), 0).astype(np.float32)


@pytest.mark.parametrize("form", ["tensor", "scipy", "matrix"])
def test_spmm(form: str, device: str) -> None:
    entries = random_matrix(7, 5)
    given: Any = torch.from_numpy(entries).to(device).to_sparse_csr()
    if form == "scipy":
        given = pytest.importorskip("scipy.sparse").csr_matrix(entries)
    if form == "matrix":
        given = cr.ops.sparse(given)
        assert given.shape == (7, 5)
    h = rows(5, 3, 1, device).requires_grad_()
    out = cr.ops.spmm(given, h)
    out.square().sum().backward()
    dense = torch.from_numpy(entries).double()
    again = h.detach().cpu().double().requires_grad_()
    expected = dense @ again
    expected.square().sum().backward()
    torch.testing.assert_close(out.detach().cpu().double(), expected.detach(), rtol=1e-5, atol=1e-5)
    assert h.grad is not None
    torch.testing.assert_close(h.grad.cpu().double(), again.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("directed", [False, True])
def test_spmm_of_a_graph(triangle: dict[str, Any], directed: bool, device: str) -> None:
    graph = cr.Graph(**triangle, directed=directed, edge_weight=[1, 2, 3, 4])
    h = rows(4, 3, 1, device).requires_grad_()
    out = cr.ops.spmm(graph, h)
    out[0].sum().backward()
    dense = torch.from_numpy(graph.adjacency.toarray()).to(device)
    torch.testing.assert_close(out, dense @ h, rtol=1e-5, atol=1e-5)
    expected = dense[0][:, None].expand(4, 3)
    torch.testing.assert_close(h.grad, expected.contiguous(), rtol=1e-5, atol=1e-5)


def brute_regulariser(h: Any, corrupted: Any, u: Any) -> float:
    def sigma(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    true = [-np.log(sigma(float(row @ u))) for row in h]
    false = [-np.log(1 - sigma(float(row @ u))) for row in corrupted]
    return float(np.mean(true) + np.mean(false))


@pytest.mark.parametrize("r", ["random", "summary"])
def test_contrast_reg_is_the_formula(r: str, device: str) -> None:
    reg = cr.nn.ContrastReg(6, r=r, r_scale=2.0, device=device)
    h, corrupted = rows(9, 6, 0, device), rows(11, 6, 1, device)
    got = reg(h, corrupted, generator=torch.Generator().manual_seed(5))
    if r == "random":
        direction = torch.rand(6, generator=torch.Generator().manual_seed(5)).double().numpy() * 2
    else:
        direction = 1 / (1 + np.exp(-h.cpu().double().numpy().mean(0)))
    u = reg.weight.detach().cpu().double().numpy() @ direction
    expected = brute_regulariser(h.cpu().double().numpy(), corrupted.cpu().double().numpy(), u)
    assert got.shape == ()
    assert float(got) == pytest.approx(expected, rel=1e-5)


def test_contrast_reg_gradients() -> None:
    reg = cr.nn.ContrastReg(4, dtype=torch.float64)
    h = rows(5, 4, 0).double().requires_grad_()
    corrupted = rows(5, 4, 1).double().requires_grad_()

    def loss(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return reg(a, b, generator=torch.Generator().manual_seed(1))  # type: ignore[no-any-return]

    assert torch.autograd.gradcheck(loss, (h, corrupted))
    loss(h, corrupted).backward()  # type: ignore[no-untyped-call]
    assert reg.weight.grad is not None and reg.weight.grad.abs().sum() > 0


def test_contrast_reg_begins_as_the_engine_does() -> None:
    weight = cr.nn.ContrastReg(64).weight.detach()
    bound = 1 / 8
    assert float(weight.abs().max()) <= bound
    assert float(weight.std()) == pytest.approx(bound / np.sqrt(3), rel=0.1)
    assert repr(cr.nn.ContrastReg(64)) == "ContrastReg(64, r='random', r_scale=1)"


def test_contrast_reg_of_long_embeddings_is_finite() -> None:
    reg = cr.nn.ContrastReg(4)
    h = (rows(5, 4, 0) * 1e6).requires_grad_()
    loss = reg(h, h.detach())
    loss.backward()
    assert torch.isfinite(loss)
    assert h.grad is not None and torch.isfinite(h.grad).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cr.nn.ContrastReg(0), "dim: out of range: found 0"),
        (lambda: cr.nn.ContrastReg(True), "dim: not a whole number: found True"),
        (lambda: cr.nn.ContrastReg(4, r_scale="1"), "r_scale: not a number"),
        (lambda: cr.nn.ContrastReg(4)([[0.0] * 4], torch.ones(1, 4)), "h: not a tensor: found list"),  # type: ignore[arg-type]
        (lambda: cr.nn.ContrastReg(4, r="mean"), 'r: no such direction.*"random" or "summary"'),
        (lambda: cr.nn.ContrastReg(4, r_scale=0), "r_scale: out of range"),
        (lambda: cr.nn.ContrastReg(4)(torch.ones(3, 5), torch.ones(3, 4)), r"h: wrong shape"),
    ],
)
def test_contrast_reg_says_what_is_wrong(call: Any, words: str) -> None:
    with pytest.raises(cr.InputError, match=words):
        call()


def test_contrast_reg_of_a_width_of_numpy() -> None:
    assert cr.nn.ContrastReg(np.int64(4)).weight.shape == (4, 4)  # type: ignore[arg-type]


def test_contrast_reg_learns_with_a_loss_of_ones_own() -> None:
    torch.manual_seed(0)
    encoder = torch.nn.Linear(6, 4)
    reg = cr.nn.ContrastReg(4)
    assert [name for name, _ in reg.named_parameters()] == ["weight"]
    x = rows(20, 6, 0)
    optimiser = torch.optim.Adam([*encoder.parameters(), *reg.parameters()], lr=0.05)
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = reg(encoder(x), encoder(-x), generator=torch.Generator().manual_seed(0))
        loss.backward()
        optimiser.step()
        losses.append(float(loss))
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("op", ["info_nce", "spmm"])
def test_second_derivatives_are_refused(op: str, device: str) -> None:
    """A kernel's way back is none that autograd could follow: wrong numbers would come of it."""
    z = rows(9, 4, 0, device).requires_grad_()
    matrix = cr.ops.sparse(torch.eye(9).to_sparse_csr(), device)
    calls = {
        "info_nce": lambda: cr.ops.info_nce(z, rows(9, 4, 1, device)),
        "spmm": lambda: (matrix @ z).square().sum(),
    }
    (plain,) = torch.autograd.grad(calls[op](), z)
    (first,) = torch.autograd.grad(calls[op](), z, create_graph=True)
    torch.testing.assert_close(first.detach(), plain)
    with pytest.raises(RuntimeError, match="has no second derivative"):
        torch.autograd.grad(first.square().sum(), z)


def test_a_sparse_matrix_is_copied_and_pickled() -> None:
    matrix = cr.ops.sparse(cr.Graph([[0, 1, 1], [1, 2, 0]], directed=True, edge_weight=[1, 2, 3]))
    assert copy.deepcopy(matrix) is matrix and copy.copy(matrix) is matrix
    h = rows(3, 2, 5).requires_grad_()
    again = pickle.loads(pickle.dumps(matrix))
    assert again.shape == matrix.shape
    for one in (matrix, again):
        h.grad = None
        (one @ h).square().sum().backward()
        dense = matrix.to_torch().to_dense()
        torch.testing.assert_close(h.grad, 2 * dense.t() @ (dense @ h.detach()))
    symmetric = cr.ops.sparse(cr.Graph([[0], [1]]))
    torch.testing.assert_close(pickle.loads(pickle.dumps(symmetric)) @ torch.eye(2), symmetric @ torch.eye(2))


def test_a_module_may_hold_a_sparse_matrix(graph: cr.Graph, small: dict[str, Any]) -> None:
    class Smooth(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.adjacency = cr.ops.sparse(graph, small["device"])

        def forward(self, h: torch.Tensor, step: cr.Step) -> torch.Tensor:
            return (h - self.adjacency @ h).square().mean() + 1 / (1 + h.var())

    assert cr.Embedder(Smooth(), **small).fit(graph).n_epochs_ == 4
