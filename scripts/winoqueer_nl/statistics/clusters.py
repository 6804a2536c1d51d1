"""Counts per stereotype and group: all that a resample of stereotypes needs to know of the pairs.

Drawing a stereotype draws all its pairs, so a resample never touches the pairs again. With ``n[k, g]`` pairs
and ``s[k, g]`` stereotypical pairs of stereotype k in group g, and ``w[b, k]`` how often resample b drew k,
the bias of group g in resample b is ``(w @ s)[b, g] / (w @ n)[b, g]``. Counts are integers held in float64,
so these products are exact whatever order a machine adds in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Counts:
    """Counts per cluster and group.

    clusters: the K cluster names, sorted. groups: the G group names.
    n, s: float64 arrays (K, G) of whole numbers: pairs, and stereotypical pairs.
    """

    clusters: tuple[str, ...]
    groups: tuple[str, ...]
    n: Array
    s: Array

    def select(self, groups: Sequence[str]) -> Counts:
        """The counts of some groups, in the order asked for."""
        where = [self.groups.index(group) for group in groups]
        return Counts(self.clusters, tuple(groups), self.n[:, where], self.s[:, where])


def count(clusters: ArrayLike, groups: ArrayLike, stereotypical: ArrayLike) -> Counts:
    """Count pairs by cluster and group.

    Parameters
    ----------
    clusters, groups: one name per pair; a missing group leaves the pair out, its cluster stays.
    stereotypical: one truth value per pair.
    """
    cluster_codes, cluster_names = pd.factorize(np.asarray(clusters, object), sort=True)
    group_codes, group_names = pd.factorize(np.asarray(groups, object), sort=True)
    kept = group_codes >= 0
    shape = (len(cluster_names), len(group_names))
    cells = cluster_codes[kept] * shape[1] + group_codes[kept]
    flags = np.asarray(stereotypical, bool)[kept].astype(np.float64)
    size = shape[0] * shape[1]
    n = np.bincount(cells, minlength=size).reshape(shape).astype(np.float64)
    s = np.bincount(cells, weights=flags, minlength=size).reshape(shape).astype(np.float64)
    return Counts(tuple(map(str, cluster_names)), tuple(map(str, group_names)), n, s)


def align(counts: Counts, clusters: Sequence[str]) -> Counts:
    """The same counts over another list of clusters: 0 where one has no pairs, unlisted ones left out."""
    where = {name: row for row, name in enumerate(counts.clusters)}
    n = np.zeros((len(clusters), len(counts.groups)))
    s = np.zeros_like(n)
    for row, name in enumerate(clusters):
        if name in where:
            n[row], s[row] = counts.n[where[name]], counts.s[where[name]]
    return Counts(tuple(clusters), counts.groups, n, s)


def beside(parts: Sequence[tuple[str, Counts]]) -> Counts:
    """Several counts side by side over the union of their clusters; groups are named ``<prefix><group>``.

    Columns side by side are resampled together: that is what makes a comparison paired.
    """
    clusters = sorted({cluster for _, counts in parts for cluster in counts.clusters})
    aligned = [(prefix, align(counts, clusters)) for prefix, counts in parts]
    return Counts(
        tuple(clusters),
        tuple(f"{prefix}{group}" for prefix, counts in aligned for group in counts.groups),
        np.concatenate([counts.n for _, counts in aligned], axis=1),
        np.concatenate([counts.s for _, counts in aligned], axis=1),
    )


def resample_weights(n_clusters: int, resamples: int, seed: int) -> Array:
    """How often each resample draws each cluster, with replacement.

    Returns
    -------
    float64 array (resamples, n_clusters) of whole numbers; every row adds up to n_clusters. The same for the
    same three arguments: PCG64 integers, whose stream NumPy keeps stable.
    """
    if n_clusters == 0:
        return np.zeros((resamples, 0))
    drawn = np.random.Generator(np.random.PCG64(seed)).integers(0, n_clusters, size=(resamples, n_clusters))
    drawn += np.arange(resamples)[:, None] * n_clusters
    counted = np.bincount(drawn.ravel(), minlength=resamples * n_clusters)
    return counted.reshape(resamples, n_clusters).astype(np.float64)
