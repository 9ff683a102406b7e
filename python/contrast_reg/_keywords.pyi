# Written by `python -m contrast_reg._reference types` from the engine's table.
import os
from collections.abc import Callable, Sequence
from typing import Any, Self

import torch

from ._losses import Step

class Keywords:
    method: str | torch.nn.Module | Callable[[torch.Tensor, Step], torch.Tensor]
    regulariser: str | None
    dim: int | None
    score: str | None
    negatives: int | None
    temperature: float | None
    log: str | None
    clusters: int | None
    drop_edges1: float | None
    drop_edges2: float | None
    drop_features1: float | None
    drop_features2: float | None
    projection: int | None
    ratio: float | str | None
    target_sigma: float | None
    r: str | None
    r_scale: float | None
    weight_decay: float | None
    encoder: str | torch.nn.Module | None
    hidden: int | None
    layers: int | None
    activation: str | None
    last_activation: bool | None
    heads: int | None
    dropout: float | None
    attention_dropout: float | None
    gain: float | None
    channel_norm: bool | None
    layer_norm: bool | None
    propagation: str | None
    teleport: float | None
    sparse_diffusion: bool | None
    lr: float | None
    schedule: str | None
    epochs: int | None
    patience: int | None
    select: str | None
    batch_size: int | None
    fanouts: Sequence[int] | int | str | None
    replace: bool | None
    batches: int | None
    batches_per_update: int | None
    batch_neighbours: str | None
    link_counts: bool | None
    structure_features: int | None
    pre_norm: bool | None
    feature_scale: float | str | None
    final_norm: bool | None
    final_spread: bool | None
    smooth: int | None
    positives: str | None
    k: int | None
    curriculum: int | None
    ggd_layers: int | None
    warmup: int | None
    later_rate: float | None
    cluster_interval: int | None
    cluster_positives: int | None
    cluster_negatives: int | None
    cca_lambda: float | None
    mask_rate: float | None
    replace_rate: float | None
    sharpness: float | None
    centrality: str | None
    teleport_schedule: str | None
    walk_length: int | None
    context: int | None
    walks: int | None
    p: float | None
    q: float | None
    device: object
    precision: str
    threads: int | None
    random_state: int | None
    progress: object
    recipe: str | os.PathLike[str] | None
    def __init__(
        self,
        method: str | torch.nn.Module | Callable[[torch.Tensor, Step], torch.Tensor] = "ml",
        *,
        regulariser: str | None = None,
        dim: int | None = None,
        score: str | None = None,
        negatives: int | None = None,
        temperature: float | None = None,
        log: str | None = None,
        clusters: int | None = None,
        drop_edges1: float | None = None,
        drop_edges2: float | None = None,
        drop_features1: float | None = None,
        drop_features2: float | None = None,
        projection: int | None = None,
        ratio: float | str | None = None,
        target_sigma: float | None = None,
        r: str | None = None,
        r_scale: float | None = None,
        weight_decay: float | None = None,
        encoder: str | torch.nn.Module | None = None,
        hidden: int | None = None,
        layers: int | None = None,
        activation: str | None = None,
        last_activation: bool | None = None,
        heads: int | None = None,
        dropout: float | None = None,
        attention_dropout: float | None = None,
        gain: float | None = None,
        channel_norm: bool | None = None,
        layer_norm: bool | None = None,
        propagation: str | None = None,
        teleport: float | None = None,
        sparse_diffusion: bool | None = None,
        lr: float | None = None,
        schedule: str | None = None,
        epochs: int | None = None,
        patience: int | None = None,
        select: str | None = None,
        batch_size: int | None = None,
        fanouts: Sequence[int] | int | str | None = None,
        replace: bool | None = None,
        batches: int | None = None,
        batches_per_update: int | None = None,
        batch_neighbours: str | None = None,
        link_counts: bool | None = None,
        structure_features: int | None = None,
        pre_norm: bool | None = None,
        feature_scale: float | str | None = None,
        final_norm: bool | None = None,
        final_spread: bool | None = None,
        smooth: int | None = None,
        positives: str | None = None,
        k: int | None = None,
        curriculum: int | None = None,
        ggd_layers: int | None = None,
        warmup: int | None = None,
        later_rate: float | None = None,
        cluster_interval: int | None = None,
        cluster_positives: int | None = None,
        cluster_negatives: int | None = None,
        cca_lambda: float | None = None,
        mask_rate: float | None = None,
        replace_rate: float | None = None,
        sharpness: float | None = None,
        centrality: str | None = None,
        teleport_schedule: str | None = None,
        walk_length: int | None = None,
        context: int | None = None,
        walks: int | None = None,
        p: float | None = None,
        q: float | None = None,
        device: object = "auto",
        precision: str = "fp32",
        threads: int | None = None,
        random_state: int | None = 0,
        progress: object = "auto",
        recipe: str | os.PathLike[str] | None = None,
    ) -> None: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **parameters: Any) -> Self: ...
