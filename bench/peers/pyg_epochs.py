#!/usr/bin/env python3
"""The epochs that `creg bench` measures, written with PyTorch Geometric; README.md has the commands beside these.

A row is printed as soon as it is measured: median and 90th percentile of whole epochs (zero_grad, forward, loss,
backward, Adam, loss.item()) after warm-up, and the most device memory these held, features and graph included. Running
out of memory is a result like others. Any other failure is a row too, and the exit status is 1.
"""

import argparse
import functools
import gc
import itertools
import json
import math
import pathlib
import statistics
import sys
import time
import typing
import warnings

warnings.simplefilter("ignore")

import numpy as np
import torch
import torch.nn.functional as F
import torch_geometric
from torch.utils.checkpoint import checkpoint
from torch_geometric.nn import DeepGraphInfomax, GCNConv, LGConv, SAGEConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import dropout_edge, mask_feature, to_torch_csr_tensor, trim_to_layer

DIM = 512
BATCH, FANOUTS = 1024, (10, 10, 25)
BLOCK = 4096  # rows of similarities at a time, where not all of them are


class Shape(typing.NamedTuple):
    nodes: int
    edges: int  # undirected
    largest_degree: int
    features: int
    words: int  # nonzero features of a node; 0: dense

    def scaled(self, scale):
        return self._replace(nodes=int(self.nodes * scale), edges=int(self.edges * scale),
                             largest_degree=max(8, int(self.largest_degree * scale)))


SHAPES = {
    "cora": Shape(2_708, 5_278, 168, 1_433, 18),
    "pubmed": Shape(19_717, 44_324, 171, 500, 48),
    "arxiv": Shape(169_343, 1_166_243, 13_161, 128, 0),
    "products": Shape(2_449_029, 61_859_140, 17_481, 100, 0),
}


# Graphs


class Graph:
    """Symmetric, without loops; features are dense, as in PyTorch Geometric's examples."""

    def __init__(self, x, offsets, neighbours):
        self.x, self.offsets, self.neighbours = x, offsets, neighbours
        self.nodes = x.size(0)

    def edge_index(self):
        rows = torch.arange(self.nodes, device=self.x.device)
        return torch.stack([self.neighbours, rows.repeat_interleave(self.offsets.diff())])

    def propagation(self, layout):
        """What layers take beside x to multiply by the normalised adjacency: made once, as with cached=True."""
        index, weight = gcn_norm(self.edge_index(), num_nodes=self.nodes, dtype=torch.float32)
        if layout == "edges":
            return index, weight
        return (to_torch_csr_tensor(index.flip(0), weight, size=(self.nodes, self.nodes)),)


def read_npz(path, device):
    """A file by `creg data convert DATASET FILE.npz`."""
    with np.load(path) as file:
        offsets, neighbours = file["adj_indptr"], file["adj_indices"]
        if "attr_matrix" in file:
            x = file["attr_matrix"]
        else:
            x = np.zeros(file["attr_shape"], dtype=np.float32)
            x[np.repeat(np.arange(len(x)), np.diff(file["attr_indptr"])), file["attr_indices"]] = file["attr_data"]
    return Graph(torch.from_numpy(x).to(device), torch.from_numpy(offsets).to(device, torch.int64),
                 torch.from_numpy(neighbours).to(device, torch.int64))


def generate(shape, device):
    """Distinct random edges; the expected degrees fall as a power of the node's rank, from the largest one."""
    random = torch.Generator(device).manual_seed(0)
    power = math.log(shape.nodes) / math.log(2 * shape.edges / shape.largest_degree)
    names = torch.randperm(shape.nodes, device=device, generator=random)
    edges = names.new_empty(0)
    while edges.numel() < shape.edges:
        drawn = int(1.2 * (shape.edges - edges.numel())) + 100
        ends = torch.rand(2, drawn, device=device, generator=random, dtype=torch.float64).pow(power) * shape.nodes
        one, other = names[ends.long().clamp(max=shape.nodes - 1)]
        low, high = torch.minimum(one, other), torch.maximum(one, other)
        edges = torch.cat([edges, (low * shape.nodes + high)[low < high]]).unique()
    kept = torch.randperm(edges.numel(), device=device, generator=random)[:shape.edges]
    low, high = edges[kept] // shape.nodes, edges[kept] % shape.nodes
    entries = torch.cat([low * shape.nodes + high, high * shape.nodes + low]).sort().values
    degrees = torch.bincount(entries // shape.nodes, minlength=shape.nodes)
    if shape.words:
        columns = torch.randint(shape.features, (shape.nodes, shape.words), device=device, generator=random)
        x = torch.zeros(shape.nodes, shape.features, device=device).scatter_(1, columns, 1)
    else:
        x = torch.randn(shape.nodes, shape.features, device=device, generator=random)
    return Graph(x, F.pad(degrees.cumsum(0), (1, 0)), entries % shape.nodes)


# Epochs: each function returns one that runs an epoch and returns its loss


def training(model, loss_of):
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)

    def epoch():
        optimiser.zero_grad()
        loss = loss_of()
        loss.backward()
        optimiser.step()
        return loss.item()

    return epoch


def shuffled(x):
    return x[torch.randperm(x.size(0), device=x.device)]


def logistic(positive, negative):
    return -F.logsigmoid(positive).mean() - F.logsigmoid(-negative).mean()


class Encoder(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.conv = GCNConv(features, DIM, normalize=False)
        self.activation = torch.nn.PReLU(DIM)

    def forward(self, x, *propagation):
        return self.activation(self.conv(x, *propagation))


class ContrastReg(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(DIM, DIM).uniform_(-DIM ** -0.5, DIM ** -0.5))

    def forward(self, h, corrupted):
        direction = self.weight @ torch.rand(DIM, device=h.device)
        return logistic(h @ direction, corrupted @ direction)


def with_contrast_reg(graph, layout, loss_of_pairs):
    """loss_of_pairs: from the embedding and what layers take beside it to the method's own loss."""
    propagation = graph.propagation(layout)
    model = torch.nn.ModuleList([Encoder(graph.x.size(1)), ContrastReg()]).to(graph.x.device)
    encoder, regulariser = model

    def loss():
        h = encoder(graph.x, *propagation)
        corrupted = encoder(shuffled(graph.x), *propagation)
        return loss_of_pairs(h, propagation) + regulariser(h, corrupted)

    return training(model, loss)


def ml(graph, layout):
    propagate = LGConv(normalize=False)

    def loss(h, propagation):
        deeper = propagate(h, *propagation)
        return logistic((h * deeper).sum(1), (shuffled(h) * deeper).sum(1))

    return with_contrast_reg(graph, layout, loss)


def lc(graph, layout, k=5):
    columns, rows = graph.edge_index()
    degrees = graph.offsets.diff()
    joined = degrees.nonzero().squeeze(1)
    starts, choices = graph.offsets[joined], degrees[joined].clamp(max=k)

    @torch.no_grad()
    def positives(h):
        """For each node with neighbours, one of the k most similar."""
        similarity = (h[rows] * h[columns]).sum(1)
        order = similarity.argsort(descending=True)
        order = order[rows[order].argsort(stable=True)]
        return columns[order[starts + (torch.rand(len(starts), device=h.device) * choices).long()]]

    def loss(h, _):
        anchors = h[joined]
        return logistic((anchors * h[positives(h)]).sum(1), (anchors * shuffled(h)[joined]).sum(1))

    return with_contrast_reg(graph, layout, loss)


def infomax(encoder, graph):
    return DeepGraphInfomax(DIM, encoder, summary=lambda z, *_: z.mean(0).sigmoid(),
                            corruption=lambda x, *rest: (shuffled(x), *rest)).to(graph.x.device)


def dgi(graph, layout):
    propagation = graph.propagation(layout)
    model = infomax(Encoder(graph.x.size(1)), graph)
    return training(model, lambda: model.loss(*model(graph.x, *propagation)))


class Grace(torch.nn.Module):
    def __init__(self, features, dim=128):
        super().__init__()
        self.convs = torch.nn.ModuleList([GCNConv(features, 2 * dim), GCNConv(2 * dim, dim)])
        self.head = torch.nn.Sequential(torch.nn.Linear(dim, dim), torch.nn.ELU(), torch.nn.Linear(dim, dim))

    def forward(self, x, edge_index):
        for conv in self.convs:
            x = conv(x, edge_index).relu()
        return F.normalize(self.head(x))


def view_losses(u, v, rows, temperature=0.4):
    """InfoNCE of these rows of u: each must find its own in v among all of v and the rest of u."""
    anchors = u[rows] / temperature
    within, between = (anchors @ u.t()).exp(), (anchors @ v.t()).exp()
    others = within.sum(1) - within[:, rows].diagonal() + between.sum(1)
    return -(between[:, rows].diagonal() / others).log()


def blocks(count):
    return [slice(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK)]


def grace(graph, in_blocks):
    edge_index = graph.edge_index()
    model = Grace(graph.x.size(1)).to(graph.x.device)

    def view(drop_edges, drop_features):
        return model(mask_feature(graph.x, drop_features)[0], dropout_edge(edge_index, drop_edges)[0])

    def losses(u, v):
        if not in_blocks:
            return view_losses(u, v, slice(0, graph.nodes))
        return torch.cat([checkpoint(view_losses, u, v, rows, use_reentrant=False) for rows in blocks(graph.nodes)])

    def loss():
        u, v = view(0.2, 0.3), view(0.4, 0.4)
        return (losses(u, v) + losses(v, u)).mean() / 2

    return training(model, loss)


@torch.no_grad()
def select(graph):
    """LC's curriculum: the half of the nodes whose similarities, a softmax over all nodes, are the clearest."""
    h = Encoder(graph.x.size(1)).to(graph.x.device)(graph.x, *graph.propagation("csr"))

    @torch.no_grad()
    def epoch():
        entropies = []
        for rows in blocks(graph.nodes):
            logs = (h[rows] @ h.t()).log_softmax(1)
            entropies.append(-(logs.exp() * logs).sum(1))
        entropies = torch.cat(entropies)
        return entropies[entropies.argsort()[:graph.nodes // 2]].mean().item()

    return epoch


class Sampler:
    """Neighbourhoods by index operations on whole tensors, in the order of NeighborLoader, which needs pyg-lib or
    torch-sparse. Of more neighbours than the fanout it draws with replacement."""

    def __init__(self, graph):
        self.graph = graph
        self.place = torch.full((graph.nodes,), -1, device=graph.x.device)
        self.batches = itertools.cycle(shuffled(torch.arange(graph.nodes, device=graph.x.device)).split(BATCH))

    def __call__(self):
        """Nodes, edges among their places, and how many of both each hop found."""
        offsets, neighbours, place = self.graph.offsets, self.graph.neighbours, self.place
        nodes, edges, found = [], [], next(self.batches)
        for fanout in (*FANOUTS, 0):
            known = sum(len(hop) for hop in nodes)
            place[found] = torch.arange(known, known + len(found), device=place.device)
            nodes.append(found)
            if not fanout:
                break
            starts = offsets[found].unsqueeze(1)
            degrees = offsets[found + 1].unsqueeze(1) - starts
            slots = torch.arange(fanout, device=place.device)
            drawn = (torch.rand(len(found), fanout, device=place.device) * degrees).long()
            is_there = slots < degrees
            sources = neighbours[(starts + torch.where(degrees > fanout, drawn, slots))[is_there]]
            targets = place[found].unsqueeze(1).expand(-1, fanout)[is_there]
            found = sources[place[sources] < 0].unique()
            edges.append((sources, targets))
        edges = [torch.stack([place[sources], targets]) for sources, targets in edges]
        all_nodes = torch.cat(nodes)
        place[all_nodes] = -1
        return all_nodes, torch.cat(edges, 1), [len(hop) for hop in nodes], [hop.size(1) for hop in edges]


class SageEncoder(torch.nn.Module):
    def __init__(self, features, trimmed):
        super().__init__()
        self.trimmed = trimmed
        self.convs = torch.nn.ModuleList([SAGEConv(width, DIM) for width in (features, DIM, DIM)])
        self.activations = torch.nn.ModuleList([torch.nn.PReLU(DIM) for _ in self.convs])

    def forward(self, x, edge_index, nodes_of_hops, edges_of_hops):
        for layer, (conv, activation) in enumerate(zip(self.convs, self.activations)):
            if self.trimmed:
                x, edge_index, _ = trim_to_layer(layer, nodes_of_hops, edges_of_hops, x, edge_index)
            x = activation(conv(x, edge_index))
        return x[:nodes_of_hops[0]]


def sampled_dgi(graph, trimmed):
    sampler = Sampler(graph)
    model = infomax(SageEncoder(graph.x.size(1), trimmed), graph)

    def loss():
        nodes, *batch = sampler()
        return model.loss(*model(graph.x[nodes], *batch))

    return training(model, loss)


# Measuring


class Case(typing.NamedTuple):
    data: str
    make: typing.Callable  # from a graph to what runs an epoch
    precision: str = "fp32"


def all_cases():
    cases = {}
    for data, method, layout in itertools.product(("cora", "pubmed", "arxiv"), (ml, lc, dgi), ("edges", "csr")):
        cases[f"{data}-{method.__name__}-{layout}"] = Case(data, functools.partial(method, layout=layout))
    for data, precision in itertools.product(("cora", "pubmed"), ("fp32", "tf32")):
        cases[f"{data}-grace-{precision}"] = Case(data, functools.partial(grace, in_blocks=False), precision)
    for precision in ("fp32", "tf32"):
        cases[f"arxiv-grace-{precision}"] = Case("arxiv", functools.partial(grace, in_blocks=True), precision)
        cases[f"arxiv-select-{precision}"] = Case("arxiv", select, precision)
    cases["products-dgi-sampled"] = Case("products", functools.partial(sampled_dgi, trimmed=False))
    cases["products-dgi-trimmed"] = Case("products", functools.partial(sampled_dgi, trimmed=True))
    cases["products-ml-csr"] = Case("products", functools.partial(ml, layout="csr"))
    # One graph at a time is on the device.
    return dict(sorted(cases.items(), key=lambda case: list(SHAPES).index(case[1].data)))


def seconds_of(epoch, device):
    if device == "cuda":
        torch.cuda.synchronize()
    start = time.perf_counter()
    loss = epoch()
    if device == "cuda":
        torch.cuda.synchronize()
    if not math.isfinite(loss):
        raise ValueError("the loss is not finite: times of such epochs mean nothing")
    return time.perf_counter() - start, loss


def measure(case, graph, options):
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high" if case.precision == "tf32" else "highest")
    epoch = case.make(graph)
    first_loss = seconds_of(epoch, options.device)[1]
    if options.device == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()

    def rounds(most, fewest):
        seconds = []
        while len(seconds) < most and (len(seconds) < fewest or sum(seconds) < options.seconds):
            seconds.append(seconds_of(epoch, options.device)[0])
        return seconds

    rounds(options.warm_up, 1)
    ms = sorted(1e3 * seconds for seconds in rounds(options.repetitions, 3))
    p90 = ms[math.ceil(0.9 * len(ms)) - 1]
    return {"ms": statistics.median(ms), "p90": p90, "rounds": len(ms), "first_loss": first_loss}


def row_of(case, graph_of, options):
    """Leaves nothing behind on the device but the graph."""
    try:
        row = measure(case, graph_of(case.data), options)
    except torch.cuda.OutOfMemoryError as error:
        row = {"out_of_memory": str(error)}
    except Exception as error:
        row = {"error": f"{type(error).__name__}: {error}"}
    if options.device == "cuda":
        row["peak_mib"] = torch.cuda.max_memory_allocated() / 2**20
        row["reserved_mib"] = torch.cuda.max_memory_reserved() / 2**20
    gc.collect()
    if options.device == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    return row


def text_of(name, row):
    memory = f"{row['peak_mib']:12,.0f} MiB" if "peak_mib" in row else ""
    if "ms" in row:
        return f"{name:24}{row['ms']:10.2f} ms{row['p90']:10.2f} p90{row['rounds']:5} rounds{memory}"
    failure = row.get("error") or f"out of memory: {row['out_of_memory']}"
    return f"{name:24}{memory}  " + failure.replace("\n", " ")


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--cases", help="how their names begin, with commas between [all]")
    parser.add_argument("--list", action="store_true", help="only list the cases")
    parser.add_argument("--repetitions", type=int, default=60, help="rounds that count, at most [60]")
    parser.add_argument("--warm-up", type=int, default=10, help="rounds before them, at most [10]")
    parser.add_argument("--seconds", type=float, default=5,
                        help="after which no more of either are begun; three are measured in any case [5]")
    parser.add_argument("--graphs", type=pathlib.Path, metavar="FOLDER",
                        help="with cora.npz, … by creg data convert; where it has none, random graphs of its shape")
    parser.add_argument("--scale", type=float, default=1, help="of the random graphs [1]")
    parser.add_argument("--json", action="store_true", help="a JSON object per line")
    options = parser.parse_args(words)
    cases = all_cases()
    begin = options.cases.split(",") if options.cases else [""]
    for start in begin:
        if not any(name.startswith(start) for name in cases):
            parser.error(f"no case begins with '{start}': {', '.join(cases)}")
    if options.repetitions < 1 or options.warm_up < 0:
        parser.error("--repetitions must be 1 or more, --warm-up 0 or more")
    if options.graphs and not options.graphs.is_dir():
        parser.error(f"{options.graphs} is not a folder")
    if options.device == "cuda" and not options.list and not torch.cuda.is_available():
        parser.error("there is no GPU that this torch can use; --device cpu")
    return options, {name: case for name, case in cases.items() if name.startswith(tuple(begin))}


def main(words):
    options, cases = parse(words)
    if options.list:
        print("\n".join(cases))
        return 0

    def show(text, row):
        print(json.dumps(row) if options.json else text, flush=True)

    device_name = torch.cuda.get_device_name() if options.device == "cuda" else f"{torch.get_num_threads()} threads"
    versions = {"torch": torch.__version__, "torch_geometric": torch_geometric.__version__, "device": device_name}
    show(", ".join(f"{key} {value}" for key, value in versions.items()), versions)

    @functools.lru_cache(maxsize=1)
    def graph_of(data):
        path = options.graphs / f"{data}.npz" if options.graphs else None
        if path and path.exists():
            return read_npz(path, options.device)
        return generate(SHAPES[data].scaled(options.scale), options.device)

    failed = False
    for name, case in cases.items():
        row = row_of(case, graph_of, options)
        failed = failed or "error" in row
        show(text_of(name, row), {"case": name, "precision": case.precision, **row})
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
