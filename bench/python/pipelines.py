#!/usr/bin/env python3
"""Pipelines of scikit-learn and scanpy, as their documentation writes them, with and without spc.scipy:

    bench/python/pipelines.py [--threads N] [--rounds N] [--scale F] [--only WORD]

Their data are made here. Each is run without and with spc.scipy in turn; printed are the medians of both, the median of their
ratios, how many calls kernels took, and how far results are apart, over their size. Needs
scikit-learn and scanpy (python/requirements-pipelines.txt)."""
# SPDX-License-Identifier: Apache-2.0

import argparse
import contextlib
import statistics
import time
import warnings

import numpy as np
import scipy
import scipy.sparse as sp
import sklearn
from sklearn import cluster, decomposition, linear_model, manifold, neighbors, pipeline, preprocessing
from sklearn.feature_extraction import text
from sklearn.metrics import pairwise

import spc
import spc.scipy
from spc.scipy import kernels


def corpus(documents, words, rng):
    """Texts of topics, whose words are drawn by Zipf's law, and the topics."""
    topics = rng.integers(0, 8, documents)
    drawn = rng.zipf(1.3, (documents, 120)) % words
    return [" ".join([f"w{(word + 577 * topic * (k % 3 == 0)) % words}" for k, word in enumerate(line)])
            for line, topic in zip(drawn, topics)], topics


def counts(cells, genes, rng):
    """Counts of single cells of a few kinds, a tenth of which are not 0."""
    kinds = rng.gamma(0.3, 1.0, (6, genes))
    rates = kinds[rng.integers(0, 6, cells)] * rng.gamma(2.0, 0.2, (cells, 1))
    return sp.csr_matrix(rng.poisson(rates).astype(np.float32))


def of_texts(scale):
    """Pipelines on texts, by name: what each returns is an array."""
    rng = np.random.default_rng(1)
    documents, topics = corpus(int(6000 * scale), int(20000 * scale), rng)
    tfidf = text.TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(documents)
    wide = text.TfidfVectorizer(ngram_range=(1, 2)).fit_transform(documents[::2])
    svd = decomposition.TruncatedSVD(50, random_state=0)
    lsa = pipeline.make_pipeline(svd, preprocessing.Normalizer(copy=False))
    return {
        "TfidfVectorizer": lambda: text.TfidfVectorizer(min_df=2).fit_transform(documents).sum(0).A1,
        "TruncatedSVD, 50": lambda: svd.fit(tfidf).singular_values_,
        "LSA, Normalizer, KMeans": lambda: np.sort(np.bincount(
            cluster.KMeans(8, n_init=1, random_state=0).fit_predict(lsa.fit_transform(tfidf)))),
        "NMF, 10": lambda: decomposition.NMF(10, init="nndsvda", max_iter=40, random_state=0).fit_transform(tfidf).sum(0),
        "NMF, 10, mu": lambda: decomposition.NMF(10, init="nndsvda", solver="mu", max_iter=40,
                                                 random_state=0).fit_transform(tfidf).sum(0),
        "LatentDirichletAllocation": lambda: decomposition.LatentDirichletAllocation(
            8, max_iter=2, random_state=0).fit_transform(tfidf).sum(0),
        "LogisticRegression": lambda: linear_model.LogisticRegression(C=10, max_iter=200).fit(
            wide, topics[::2]).decision_function(wide),
        "RidgeClassifier, sparse_cg": lambda: linear_model.RidgeClassifier(solver="sparse_cg").fit(
            wide, topics[::2]).decision_function(wide),
        "cosine_similarity": lambda: pairwise.cosine_similarity(tfidf[:2000], tfidf, dense_output=False).sum(0).A1,
        "kneighbors_graph of texts": lambda: neighbors.kneighbors_graph(tfidf[:3000], 10, metric="cosine").sum(0).A1,
    }


def of_points(scale):
    """Pipelines on graphs of neighbours, and on categories."""
    rng = np.random.default_rng(2)
    points = np.concatenate([rng.normal(centre, 1.0, (int(1500 * scale), 8)) for centre in (0, 3, 6)])
    graph = neighbors.kneighbors_graph(points, 15, include_self=True)
    affinity = 0.5 * (graph + graph.T)
    categories = rng.integers(0, 300, (int(60000 * scale), 12))
    target = rng.random(len(categories))
    ridge = pipeline.make_pipeline(preprocessing.OneHotEncoder(), linear_model.Ridge(solver="lsqr"))
    return {
        "kneighbors_graph, spectral embedding": lambda: np.abs(manifold.SpectralEmbedding(
            3, affinity="precomputed", random_state=0).fit_transform(affinity)).sum(0),
        "kneighbors_graph, SpectralClustering": lambda: np.sort(np.bincount(cluster.SpectralClustering(
            3, affinity="precomputed", random_state=0, assign_labels="cluster_qr").fit_predict(affinity))),
        "OneHotEncoder, Ridge": lambda: ridge.fit(categories, target).predict(categories),
    }


def of_cells(scale):
    """scanpy's preprocessing, as its tutorials have it."""
    import anndata
    import scanpy
    made = counts(int(4000 * scale), int(3000 * scale), np.random.default_rng(3))

    def cells():
        data = anndata.AnnData(made.copy())
        scanpy.pp.calculate_qc_metrics(data, inplace=True, percent_top=None)
        scanpy.pp.filter_genes(data, min_cells=3)
        scanpy.pp.normalize_total(data, target_sum=1e4)
        scanpy.pp.log1p(data)
        return data

    def principal():
        data = cells()
        scanpy.pp.highly_variable_genes(data, n_top_genes=1000)
        scanpy.pp.pca(data, n_comps=30)
        return data

    def neighbours():
        data = principal()
        scanpy.pp.neighbors(data, n_neighbors=15, use_rep="X_pca")
        return data

    return {"scanpy: qc, filter, normalize_total, log1p": lambda: cells().X.sum(0).A1,
            "scanpy: … highly_variable_genes, pca": lambda: principal().uns["pca"]["variance"],
            "scanpy: … neighbors": lambda: np.sort(neighbours().obsp["connectivities"].sum(0).A1)}


def timed(run, around):
    """The time of a call within a context, and its result."""
    with around():
        start = time.perf_counter()
        result = np.asarray(run(), float)
        return time.perf_counter() - start, result


def measure(name, run, rounds, calls):
    timed(run, contextlib.nullcontext)
    timed(run, spc.scipy.enabled)
    calls[0] = 0
    pairs = []
    for _ in range(rounds):
        pairs.append((timed(run, contextlib.nullcontext), timed(run, spc.scipy.enabled)))
    expected, found = pairs[0][0][1], pairs[0][1][1]
    apart = np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-300)
    before, after = (statistics.median([pair[k][0] for pair in pairs]) for k in (0, 1))
    ratio = statistics.median([one[0] / other[0] for one, other in pairs])
    print(f"| {name} | {before * 1e3:.0f} | {after * 1e3:.0f} | {ratio:.2f} | {calls[0] // rounds} | {apart:.0e} |", flush=True)


def counted():
    """Has calls of kernels counted, in a list of one number."""
    calls, run = [0], kernels.run

    def counting(*operands, **sizes):
        calls[0] += 1
        return run(*operands, **sizes)

    kernels.run = counting
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="of the data's sizes")
    parser.add_argument("--only", default="", help="pipelines whose name has this word")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.threads:
        spc.set_threads(given.threads)
    calls = counted()
    print(f"SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}, {spc.get_threads()} threads\n")
    print("| pipeline | ms | with spc.scipy | ratio | calls of kernels | results apart |\n|---|---:|---:|---:|---:|---:|")
    for pipelines in (of_texts, of_points, of_cells):
        for name, run in pipelines(given.scale).items():
            if given.only in name:
                measure(name, run, given.rounds, calls)


if __name__ == "__main__":
    main()
