"""Convolutions and pooling."""

import itertools

import numpy as np

from cases import CSF, CSR, DCSR, VECTOR, named, numbers


def windows_of(x, sizes, strides, dilations):
    """For each place in a window, what of `x` stands there: (place, part)."""
    counts = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape, sizes, strides, dilations)]
    for place in itertools.product(*map(range, sizes)):
        yield place, x[tuple(slice(p * d, p * d + (n - 1) * s + 1, s)
                             for p, d, n, s in zip(place, dilations, counts, strides))]


def correlated(x, k, strides=None, dilations=None):
    """The plain convolution of linalg, which turns nothing round."""
    order = k.ndim
    return sum(part * k[place] for place, part in windows_of(x, k.shape, strides or [1] * order, dilations or [1] * order))


def by_channel(x, k, strides=None, dilations=None):
    """Images (n, ..., channel) under filters (..., channel, filter)."""
    return np.stack([np.stack([sum(correlated(image[..., c], k[..., c, f], strides, dilations) for c in range(x.shape[-1]))
                               for f in range(k.shape[-1])], -1) for image in x])


def each_channel(x, k):
    """Images (n, ..., channel) under filters (..., channel)."""
    return np.stack([np.stack([correlated(image[..., c], k[..., c]) for c in range(x.shape[-1])], -1) for image in x])


def pooled(how, axes=(1, 2)):
    """Windows over two axes, or one, of the size of the second operand."""
    def pool(x, w):
        parts = []
        moved = np.moveaxis(x, axes, range(len(axes)))
        for _, part in windows_of(moved, w.shape, [1] * w.ndim, [1] * w.ndim):
            parts.append(np.moveaxis(part, range(len(axes)), axes))
        return how(np.stack(parts), 0)
    return pool


def windows():
    image, kernel = numbers((8, 9), density=0.5), numbers((3, 2))
    channels, filters = numbers((2, 8, 9, 3)), numbers((3, 2, 3, 4), density=0.4)
    lists = lambda count: f"map = ({', '.join('abcde'[:count])}) -> ({', '.join(f'{d} : compressed' for d in 'abcde'[:count])})"
    vectors = lambda strides, dilations, count: f"{{strides = dense<{strides}> : tensor<{count}xi64>, dilations = dense<{dilations}> : tensor<{count}xi64>}}"
    one = "linalg.{} INS OUTS".format
    yield named("conv_1d", one("conv_1d"), {"x": numbers((9,), density=0.5), "k": numbers((3,))}, (7,), correlated, encodings={"x": VECTOR})
    yield named("conv_2d", one("conv_2d"), {"x": image, "k": kernel}, (6, 8), correlated, encodings={"x": DCSR})
    yield named("conv_2d_both", one("conv_2d"), {"x": image, "k": numbers((3, 2), density=0.5)}, (6, 8), correlated, encodings={"x": CSR, "k": DCSR})
    yield named("conv_2d_dense", one("conv_2d"), {"x": image, "k": kernel}, (6, 8), correlated)
    yield named("conv_3d", one("conv_3d"), {"x": numbers((4, 5, 6), density=0.5), "k": numbers((2, 2, 3))}, (3, 4, 4), correlated, encodings={"x": CSF})
    sequence = numbers((2, 9, 3), density=0.5)
    yield named("conv_1d_nwc", one("conv_1d_nwc_wcf"), {"x": sequence, "k": numbers((4, 3, 2))}, (2, 6, 2), by_channel, encodings={"x": CSF})
    yield named("conv_1d_ncw", one("conv_1d_ncw_fcw"), {"x": np.ascontiguousarray(sequence.transpose(0, 2, 1)), "k": numbers((2, 3, 4))}, (2, 2, 6),
                lambda x, k: by_channel(x.transpose(0, 2, 1), k.transpose(2, 1, 0)).transpose(0, 2, 1), encodings={"x": CSF})
    yield named("conv_2d_nhwc", one("conv_2d_nhwc_hwcf"), {"x": channels, "k": filters}, (2, 6, 8, 4), by_channel, encodings={"k": lists(4)})
    yield named("conv_2d_strided", f"linalg.conv_2d_nhwc_hwcf {vectors(2, 2, 2)} INS OUTS", {"x": channels, "k": filters}, (2, 2, 4, 4),
                lambda x, k: by_channel(x, k, (2, 2), (2, 2)), encodings={"k": lists(4)})
    yield named("conv_2d_fhwc", one("conv_2d_nhwc_fhwc"), {"x": channels, "k": np.ascontiguousarray(filters.transpose(3, 0, 1, 2))}, (2, 6, 8, 4),
                lambda x, k: by_channel(x, k.transpose(1, 2, 3, 0)))
    yield named("conv_2d_nchw", one("conv_2d_nchw_fchw"),
                {"x": np.ascontiguousarray(channels.transpose(0, 3, 1, 2)), "k": np.ascontiguousarray(filters.transpose(3, 2, 0, 1))}, (2, 4, 6, 8),
                lambda x, k: by_channel(x.transpose(0, 2, 3, 1), k.transpose(2, 3, 1, 0)).transpose(0, 3, 1, 2))
    yield named("conv_3d_ndhwc", one("conv_3d_ndhwc_dhwcf"), {"x": numbers((1, 4, 4, 4, 2), density=0.4), "k": numbers((2, 2, 2, 2, 3))}, (1, 3, 3, 3, 3),
                by_channel, encodings={"x": lists(5)})
    small = numbers((5, 6), "i8", 0.5)
    yield named("conv_2d_i8", one("conv_2d"), {"x": small, "k": numbers((2, 3), "i8")}, (4, 4), lambda x, k: correlated(x.astype(np.int32), k), start="0",
                kind="i32", encodings={"x": CSR}, tolerance=0)
    yield named("depthwise", one("depthwise_conv_2d_nhwc_hwc"), {"x": channels, "k": numbers((3, 2, 3))}, (2, 6, 8, 3), each_channel)
    yield named("depthwise_1d", one("depthwise_conv_1d_nwc_wc"), {"x": sequence, "k": numbers((4, 3))}, (2, 6, 3), each_channel, encodings={"x": CSF})
    yield named("depthwise_several", one("depthwise_conv_2d_nhwc_hwcm"), {"x": channels, "k": numbers((3, 2, 3, 2))}, (2, 6, 8, 3, 2),
                lambda x, k: np.stack([each_channel(x, k[..., m]) for m in range(2)], -1))
    x, shape = numbers((1, 4, 5, 2), density=0.7), numbers((2, 3))
    minus, plus = "0xFFF0000000000000", "0x7FF0000000000000"
    for name, how, start in (("sum", np.sum, "0.0"), ("max", np.max, minus), ("min", np.min, plus)):
        yield named(f"pooling_{name}", one(f"pooling_nhwc_{name}"), {"x": x, "w": shape}, (1, 3, 3, 2), pooled(how), start=start)
    yield named("pooling_sparse", one("pooling_nhwc_sum"), {"x": x, "w": shape}, (1, 3, 3, 2), pooled(np.sum), encodings={"x": lists(4)})
    yield named("pooling_nchw", one("pooling_nchw_max"), {"x": numbers((1, 2, 4, 5)), "w": shape}, (1, 2, 3, 3), pooled(np.max, (2, 3)), start=minus)
    yield named("pooling_1d", one("pooling_nwc_sum"), {"x": sequence, "w": numbers((4,))}, (2, 6, 3), pooled(np.sum, (1,)), encodings={"x": CSF})
