/** Parameters of statements: arrays in a binary format, and names in place of numbers. */
/**
 * Array parameters in the binary format of PostgreSQL (`array_send`): no value is quoted, escaped or
 * hex-encoded by the client, or parsed by the server. The statement must cast the parameter to the type.
 */

/**
 * Numbers of the element types (`pg_type.oid`); they never change. In the binary format of arrays (`array_send`), no value is
 * quoted, escaped or hex-encoded by the client, or parsed by the server. The statement must cast the parameter to the type.
 */
const oids = { bytea: 17, int8: 20, int4: 23, text: 25, uuid: 2950 } as const;

/** Bytes before the first element: dimensions, whether some are null, element type, length, lower bound. */
const headBytes = 20;

/** Returns a `bytea[]`. */
export function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  return encodeArray(oids.bytea, values);
}

/** Returns a `text[]` of texts without NUL; bytes must be UTF-8. */
export function textArray(values: readonly (string | Uint8Array)[]): Buffer {
  return encodeArray(oids.text, values);
}

/** Returns a `uuid[]` of values of 16 bytes each. */
export function uuidArray(values: readonly Uint8Array[]): Buffer {
  return encodeArray(oids.uuid, values);
}

/** Returns an `int4[]`. */
export function intArray(values: readonly (number | null)[]): Buffer {
  return encodeArray(
    oids.int4,
    values.map((value) => (value === null ? null : intBytes(value))),
  );
}

/** Returns an `int8[]` of safe integers. */
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

function encodeArray(oid: number, values: readonly (string | Uint8Array | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)));
  const array = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, headBytes));
  for (const [index, number] of [1, 1, oid, values.length, 1].entries()) array.writeInt32BE(number, 4 * index);
  let at = headBytes;
  for (const [index, value] of values.entries()) {
    const length = lengths[index] ?? 0;
    at = array.writeInt32BE(value === null ? -1 : length, at);
    if (typeof value === "string") array.write(value, at);
    else if (value !== null) array.set(value, at);
    at += length;
  }
  return array;
}

/** Statement and its parameters, in the order of their numbers. */
export interface BoundStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

interface Numbered {
  readonly sql: string;
  readonly names: readonly string[];
}

/** Cache of numbered statements; they are few, because they are built from constants. */
const known = new Map<string, Numbered>();
const knownCountMax = 1000;

/**
 * Numbers the named parameters (`:name`) of a statement; casts (`::`) stay. Parameters are sent in the order of the
 * given values: the library copies its buffer for each large one, so large values belong at the end. The same statement
 * must always come with the same names.
 */
export function bind(text: string, values: Readonly<Record<string, unknown>>): BoundStatement {
  const { sql, names } = numbered(text, values);
  return { sql, parameters: names.map((name) => values[name]) };
}

function numbered(text: string, values: Readonly<Record<string, unknown>>): Numbered {
  const before = known.get(text);
  if (before !== undefined) return before;
  const used = new Set([...text.matchAll(parameter)].map(([, name]) => name));
  const names = Object.keys(values).filter((name) => used.has(name));
  const sql = text.replaceAll(parameter, (_, name: string) => `$${names.indexOf(name) + 1}`);
  if (known.size >= knownCountMax) known.clear();
  known.set(text, { sql, names });
  return { sql, names };
}

const parameter = /(?<!:):([a-z]\w*)/gi;
