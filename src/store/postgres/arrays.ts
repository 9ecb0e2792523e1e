/**
 * Arrays as parameters, in the binary form that PostgreSQL itself sends (`array_send`): no value is quoted, escaped or
 * written in hexadecimal digits on its way, and none is parsed there. The statement must cast the parameter to the type.
 */

/** Numbers of the element types (`pg_type.oid`); they never change. */
const oids = { bytea: 17, int8: 20, int4: 23, text: 25, uuid: 2950 } as const;

/** Bytes before the first element: dimensions, flags, element type, length, lower bound. */
const headBytes = 20;
const noBytes = Buffer.alloc(0);

/** A `bytea[]`. */
export function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  return encodeArray(oids.bytea, values);
}

/** A `text[]` of texts without NUL. */
export function textArray(values: readonly (string | Uint8Array)[]): Buffer {
  return encodeArray(
    oids.text,
    values.map((value) => (typeof value === "string" ? Buffer.from(value) : value)),
  );
}

/** A `uuid[]` from sixteen bytes each. */
export function uuidArray(values: readonly Uint8Array[]): Buffer {
  return encodeArray(oids.uuid, values);
}

/** An `int4[]`. */
export function intArray(values: readonly (number | null)[]): Buffer {
  return encodeArray(
    oids.int4,
    values.map((value) => (value === null ? null : intBytes(value))),
  );
}

/** An `int8[]` of safe integers. */
export function bigintArray(values: readonly number[]): Buffer {
  return encodeArray(
    oids.int8,
    values.map((value) => {
      const bytes = Buffer.allocUnsafe(8);
      bytes.writeBigInt64BE(BigInt(value));
      return bytes;
    }),
  );
}

function intBytes(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function encodeArray(oid: number, values: readonly (Uint8Array | null)[]): Buffer {
  const size = values.reduce((sum, value) => sum + 4 + (value ?? noBytes).length, headBytes);
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(1, 4); // Some may be null.
  array.writeInt32BE(oid, 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16);
  let at = headBytes;
  for (const value of values) {
    at = array.writeInt32BE(value === null ? -1 : value.length, at);
    if (value === null) continue;
    array.set(value, at);
    at += value.length;
  }
  return array;
}
