"""Writes the NumPy and Parquet files of this folder: python make.py (NumPy 2.4, PyArrow 26)."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

a = np.array([[1.5, -2, 3], [4, 5, 6]])
arrays = {
    "f8": a,
    "f4": a.astype("f4"),
    "big_f8": a.astype(">f8"),
    "fortran_f8": np.asfortranarray(a),
    "i1": a.round().astype("i1"),
    "i2": np.array([[-300, 2], [3, 4]], dtype="<i2"),
    "big_i4": np.array([[-70000, 2], [3, 4]], dtype=">i4"),
    "i8": np.array([[-(2**40), 2], [3, 4]]),
    "u1": np.array([[250, 2]], dtype="u1"),
    "u8": np.array([[2**63, 2]], dtype="u8"),
    "bool": np.array([[True, False]]),
    "one_d": np.array([1.0, 2.5, 4.0]),
    "three_d": np.zeros((1, 2, 3)),
    "complex": np.zeros((1, 2), dtype="c16"),
    "empty": np.zeros((0, 3)),
    "nan": np.array([[1.0, np.nan], [2, 3]]),
    "record": np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]),
}
for name, array in arrays.items():
    np.save(f"{name}.npy", array)
np.savez("two.npz", features=a, other=np.ones((2, 2)))
np.savez_compressed("only.npz", anything=a)
np.savez("neither.npz", left=a, right=a)

pool = pa.table(
    {
        "id": pa.array([9007199254740993, 2, 3], pa.int64()),
        "ligand": pa.array(["XPhos", "PPh3", "XPhos"]).dictionary_encode(),
        "note": pa.array(["a", None, "=c"]),
        "x": pa.array([0.5, 1.5, 2.5], pa.float64()),
        "y32": pa.array([0.25, 1, 2], pa.float32()),
        "flag": pa.array([True, False, True]),
        "holes": pa.array([1.0, None, float("nan")]),
    }
)
for compression in ["snappy", "zstd", "gzip", "lz4", "none"]:
    pq.write_table(pool, f"pool_{compression}.parquet", compression=compression)
when = pa.table({"when": pa.array([1, 2], pa.timestamp("ms")), "x": pa.array([1.0, 2.0])})
pq.write_table(when, "when.parquet", write_statistics=False)
