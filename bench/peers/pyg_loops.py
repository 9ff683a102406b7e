#!/usr/bin/env python3
"""Loops of PyTorch Geometric with parts of contrast_reg in them, and beside contrast_reg's own; ../python/README.md
says more.

Every case is a process of its own: fresh memory, and a failure, a crash too, is a row like others; the exit status is 1
then. No case is begun after --total seconds, and none runs longer than what is left of them.
"""

import argparse
import functools
import gc
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

warnings.simplefilter("ignore")

import torch

TEMPERATURE = 0.4
RATIO = 0.1  # of the regulariser in DGI


def resident_mib(field):
    """VmRSS: now; VmHWM: the most there was."""
    fields = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
    return int(fields[field].split()[0]) / 1024


class Peak:
    """The most memory from here on: tensors on the card, there; else what is resident beyond now."""

    def __init__(self, device):
        self.device = device
        gc.collect()
        if device == "cuda":
            torch.cuda.init()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            return
        try:
            pathlib.Path("/proc/self/clear_refs").write_text("5")
        except OSError:  # then the peak of the set-up counts too
            pass
        self.before = resident_mib("VmRSS")

    def mib(self):
        if self.device == "cuda":
            return torch.cuda.max_memory_allocated() / 2**20
        return resident_mib("VmHWM") - self.before


def as_peer_graph(graph, device):
    """A graph as pyg_epochs.py has it: dense features, the adjacency in CSR."""
    import pyg_epochs as peers

    x = graph.x
    x = torch.from_numpy(x.toarray() if hasattr(x, "toarray") else x.copy())
    adjacency = graph.adjacency
    parts = [torch.from_numpy(part.copy()).to(device, torch.int64) for part in (adjacency.indptr, adjacency.indices)]
    return peers.Graph(x.to(device), *parts)


def opened(options, dataset):
    import contrast_reg as cr

    return cr.load_dataset({"cora": options.cora, "pubmed": options.pubmed}[dataset])


def peer_graph(options, dataset):
    return as_peer_graph(opened(options, dataset), options.device)


def timed_epochs(options, epoch):
    """Medians of whole epochs after a few that warm up; three count, however long they take."""
    from pyg_epochs import seconds_of

    first_loss = seconds_of(epoch, options.device)[1]
    for _ in range(min(options.warm_up, options.epochs) - 1):
        seconds_of(epoch, options.device)
    seconds = []
    while len(seconds) < 3 or (len(seconds) < options.epochs and sum(seconds) < options.seconds):
        seconds.append(seconds_of(epoch, options.device)[0])
    return {"ms": 1e3 * statistics.median(seconds), "rounds": len(seconds), "first_loss": first_loss}


# DeepGraphInfomax, and with the regulariser on the embeddings that it has anyway


def dgi(options, dataset, regularised):
    import pyg_epochs as peers
    from torch_geometric.nn import GCNConv

    import contrast_reg as cr

    class Encoder(torch.nn.Module):
        """As in PyTorch Geometric's example."""

        def __init__(self, features):
            super().__init__()
            self.conv = GCNConv(features, peers.DIM, cached=True)
            self.activation = torch.nn.PReLU(peers.DIM)

        def forward(self, x, edge_index):
            return self.activation(self.conv(x, edge_index))

    graph = peer_graph(options, dataset)
    edge_index = graph.edge_index()
    torch.manual_seed(0)
    model = torch.nn.ModuleList([peers.infomax(Encoder(graph.x.size(1)), graph)])
    if regularised:
        model.append(cr.nn.ContrastReg(peers.DIM, device=options.device))

    def loss():
        h, corrupted, summary = model[0](graph.x, edge_index)
        own = model[0].loss(h, corrupted, summary)
        return own + RATIO * model[1](h, corrupted) if regularised else own

    peak = Peak(options.device)
    return {**timed_epochs(options, peers.training(model, loss)), "peak_mib": peak.mib()}


# GRACE, with the arrays of all pairs or without


def own_info_nce(u, v):
    import pyg_epochs as peers

    rows = slice(0, len(u))
    losses = (peers.view_losses(one, other, rows, TEMPERATURE) for one, other in ((u, v), (v, u)))
    return sum(losses).mean() / 2


def streamed_info_nce(u, v):
    import contrast_reg as cr

    return cr.ops.info_nce(u, v, temperature=TEMPERATURE)


def grace_views(graph):
    """The model, and what makes two views of the graph."""
    import pyg_epochs as peers
    from torch_geometric.utils import dropout_edge, mask_feature

    edge_index = graph.edge_index()
    torch.manual_seed(0)
    model = peers.Grace(graph.x.size(1)).to(graph.x.device)

    def view(drop_edges, drop_features):
        return model(mask_feature(graph.x, drop_features)[0], dropout_edge(edge_index, drop_edges)[0])

    return model, lambda: (view(0.2, 0.3), view(0.4, 0.4))


def grace(options, dataset, info_nce):
    import pyg_epochs as peers

    model, views = grace_views(peer_graph(options, dataset))
    peak = Peak(options.device)
    row = timed_epochs(options, peers.training(model, lambda: info_nce(*views())))
    return {**row, "peak_mib": peak.mib()}


def grace_agrees(options, dataset):
    """Loss and gradient of both on the same two views; the loss within 1e-4 of itself, or it is an error."""
    _, views = grace_views(peer_graph(options, dataset))
    with torch.no_grad():
        pair = views()

    def both(info_nce):
        leaves = [one.clone().requires_grad_() for one in pair]
        loss = info_nce(*leaves)
        loss.backward()
        return loss.item(), torch.cat([leaf.grad for leaf in leaves])

    own, own_gradient = both(own_info_nce)
    ours, gradient = both(streamed_info_nce)
    # Ours has gradients of rows of any length, theirs of the product alone: what is along the row is no matter.
    rows = torch.cat(pair)
    own_gradient = own_gradient - rows * (rows * own_gradient).sum(1, keepdim=True)
    gradient = gradient - rows * (rows * gradient).sum(1, keepdim=True)
    off = ((gradient - own_gradient).norm() / own_gradient.norm()).item()
    differs = abs(ours - own) / abs(own)
    row = {"own_loss": own, "first_loss": ours, "loss_differs_by": differs, "gradient_differs_by": off}
    return row if differs < 1e-4 else {**row, "error": "the losses disagree"}


# ML with Contrast-Reg: a whole training, from the graph in memory to its end


def ml_by_pyg(options, dataset, layout):
    import pyg_epochs as peers

    graph = opened(options, dataset)

    def train(epochs):
        torch.manual_seed(0)
        start = time.perf_counter()
        epoch = peers.ml(as_peer_graph(graph, options.device), layout)
        seconds = []
        for _ in range(epochs):
            seconds.append(peers.seconds_of(epoch, options.device)[0])
        return time.perf_counter() - start, seconds

    peak = Peak(options.device)
    train(2)
    whole, seconds = train(options.epochs)
    return {"ms": 1e3 * statistics.median(seconds), "rounds": len(seconds), "whole_s": whole, "peak_mib": peak.mib()}


def ml_by_creg(options, dataset):
    import contrast_reg as cr

    graph = opened(options, dataset)

    def train(epochs):
        model = cr.Embedder("ml", dim=512, lr=1e-3, epochs=epochs, patience=0, recipe="none", device=options.device,
                            threads=options.threads)
        start = time.perf_counter()
        z = model.fit_transform(graph)
        return time.perf_counter() - start, model, z

    peak = Peak(options.device)
    train(2)
    whole, model, z = train(options.epochs)
    if not math.isfinite(float(z.sum())):
        raise ValueError("the embedding is not finite")
    seconds = model.history_["seconds"].tolist()
    return {"ms": 1e3 * statistics.median(seconds), "rounds": len(seconds), "whole_s": whole, "peak_mib": peak.mib()}


# What passes from one to the other


def interchange(options, dataset):
    """PyG's Data, on the device too, tensors of the device, and DLPack."""
    from torch_geometric.data import Data

    import contrast_reg as cr

    graph = opened(options, dataset)
    peer = as_peer_graph(graph, "cpu")
    y = torch.arange(graph.num_nodes) % 3
    masks = {f"{part}_mask": y == label for label, part in enumerate(("train", "val", "test"))}
    data = Data(x=peer.x, edge_index=peer.edge_index(), y=y, **masks)
    taken = cr.Graph.from_pyg(data)
    moved = cr.Graph.from_pyg(data.to(options.device))
    for other in (taken, moved):
        found = (other.num_nodes, other.num_edges, other.num_features, other.num_classes, len(other.splits))
        wanted = (graph.num_nodes, graph.num_edges, graph.num_features, 3, 1)
        if found != wanted:
            raise ValueError(f"from_pyg: {found} instead of {wanted}")
    if torch.from_numpy(taken.x).data_ptr() != peer.x.data_ptr():
        raise ValueError("from_pyg copied the features")
    z = cr.Embedder(dim=16, epochs=2, device=options.device).fit_transform(taken)
    if not torch.equal(torch.from_dlpack(z), torch.from_numpy(z.copy())):
        raise ValueError("DLPack changed the embedding")
    values, _ = cr.ops.top_k(torch.from_numpy(z.copy()).to(options.device), 3)
    h = torch.ones(graph.num_nodes, 4, device=options.device)
    degrees = cr.ops.spmm(cr.ops.sparse(graph, options.device), h)[:, 0]
    if values.device.type != options.device or not torch.equal(degrees.cpu(), peer.offsets.diff().float()):
        raise ValueError("spmm or top_k is wrong")
    return {"as_it_should": True}


def all_cases():
    cases = {
        "interchange": functools.partial(interchange, dataset="cora"),
        "dgi": functools.partial(dgi, dataset="pubmed", regularised=False),
        "dgi-contrast-reg": functools.partial(dgi, dataset="pubmed", regularised=True),
        "grace-own": functools.partial(grace, dataset="pubmed", info_nce=own_info_nce),
        "grace-info-nce": functools.partial(grace, dataset="pubmed", info_nce=streamed_info_nce),
        "grace-agrees": functools.partial(grace_agrees, dataset="pubmed"),
    }
    for dataset in ("cora", "pubmed"):
        for layout in ("edges", "csr"):
            cases[f"{dataset}-ml-pyg-{layout}"] = functools.partial(ml_by_pyg, dataset=dataset, layout=layout)
        cases[f"{dataset}-ml-embedder"] = functools.partial(ml_by_creg, dataset=dataset)
    return cases


def row_of_this_process(case, options):
    try:
        return case(options)
    except torch.cuda.OutOfMemoryError as error:
        return {"out_of_memory": str(error)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


def row_of(name, words, seconds):
    """By a process of its own."""
    if seconds <= 0:
        return {"error": "no time was left for it: --total"}
    call = [sys.executable, __file__, *words, "--only", name]
    try:
        done = subprocess.run(call, capture_output=True, text=True, timeout=seconds)
        return json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {seconds:.0f} seconds"}
    except (IndexError, json.JSONDecodeError):
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return {"error": f"exit status {done.returncode}: {said}"}


def text_of(name, row):
    words = [f"{name:22}"]
    words.append(f"{row['ms']:10.2f} ms{row['rounds']:5} epochs" if "ms" in row else " " * 25)
    words.append(f"{row['peak_mib']:10,.0f} MiB" if "peak_mib" in row else " " * 14)
    words.append(f"  whole {row['whole_s']:.2f} s" if "whole_s" in row else "")
    words.append(f"  first loss {row['first_loss']:.6f}" if "first_loss" in row else "")
    words.append(f"  loss off by {row['loss_differs_by']:.1e}, gradient by {row['gradient_differs_by']:.1e}"
                 if "loss_differs_by" in row else "")
    failure = row.get("error") or (f"out of memory: {row['out_of_memory']}" if "out_of_memory" in row else "")
    words.append("  as it should be" if "as_it_should" in row else "  " + failure.replace("\n", " "))
    return "".join(words).rstrip()


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--cases", help="how their names begin, with commas between [all]")
    parser.add_argument("--list", action="store_true", help="only list the cases")
    parser.add_argument("--cora", default="synthetic:cora", metavar="DATASET", help="[synthetic:cora]")
    parser.add_argument("--pubmed", default="synthetic:pubmed", metavar="DATASET", help="[synthetic:pubmed]")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="[all cores]")
    parser.add_argument("--epochs", type=int, help="of ML; of the others at most [cuda: 100, cpu: 12]")
    parser.add_argument("--warm-up", type=int, default=10,
                        help="epochs of the others before those that count, at most [cuda: 10, cpu: 1]")
    parser.add_argument("--seconds", type=float, default=3,
                        help="after which no more epochs of the others are begun; three count in any case [3]")
    parser.add_argument("--total", type=float, default=115, help="seconds for everything [115]")
    parser.add_argument("--json", action="store_true", help="a JSON object per line")
    parser.add_argument("--only", help=argparse.SUPPRESS)  # the case that this process is
    options = parser.parse_args(words)
    options.epochs = options.epochs or (100 if options.device == "cuda" else 12)
    if options.device == "cpu":
        options.warm_up = min(options.warm_up, 1)
    return parser, options


def main(words):
    parser, options = parse(words)
    torch.set_num_threads(options.threads)
    cases = all_cases()
    if options.only:
        print(json.dumps(row_of_this_process(cases[options.only], options)))
        return 0
    begin = options.cases.split(",") if options.cases else [""]
    for start in begin:
        if not any(name.startswith(start) for name in cases):
            parser.error(f"no case begins with '{start}': {', '.join(cases)}")
    chosen = [name for name in cases if name.startswith(tuple(begin))]
    if options.list:
        print("\n".join(chosen))
        return 0
    if options.device == "cuda" and not torch.cuda.is_available():
        parser.error("there is no GPU that this torch can use; --device cpu")
    start = time.monotonic()
    device = torch.cuda.get_device_name() if options.device == "cuda" else f"{options.threads} threads"
    about = {"torch": torch.__version__, "device": device}
    print(json.dumps(about) if options.json else ", ".join(f"{k} {v}" for k, v in about.items()), flush=True)
    failed = False
    for name in chosen:
        row = row_of(name, words, options.total - (time.monotonic() - start))
        failed = failed or "error" in row
        print(json.dumps({"case": name, **row}) if options.json else text_of(name, row), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
