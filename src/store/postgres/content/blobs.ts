/** Storage for content that is too large for the row of its message, and URLs of the buckets for it. */
/** Storage for content that is too large for the row of its message. */

/**
 * Stores content under keys of `[a-z0-9/-]` that the store generates, each for one content only. No transaction covers
 * it, so the store records first what may be orphaned: (1) a row that says that the content of this key is removed at a
 * certain hour; (2) `put`; (3) one transaction that stores the message and deletes that row. Deleting a message adds
 * the row again, due at once. When a node exits in between, each key is either owned by a message or named by such a
 * row, and `remove` works through the rows.
 */
export interface LargeContent {
  /** Stores bytes durably; repeating it changes nothing. Rejects with `unavailable`. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns the bytes; undefined when there are none. Rejects with `unavailable`. */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Returns at most `length` bytes from position `start`, which must be inside; undefined when there are none. Rejects
   * with `unavailable`.
   */
  getRange(key: string, start: number, length: number): Promise<Uint8Array | undefined>;
  /** Removes content; keys without content are skipped. Rejects with `unavailable` when some may be left. */
  remove(keys: readonly string[]): Promise<void>;
}

/** URLs of S3 buckets. */

/** Decoded blob URL. */
export interface BlobUrl {
  /** `https://host:port/bucket`: path style, which every S3 server supports. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Prefix of every key; "" or ending with a slash. */
  readonly prefix: string;
}

/**
 * Reads `s3://key:secret@host:port/bucket/prefix?region=…&tls=off`. Throws an `Error` whose text names the mistake and
 * never contains a secret.
 */
export function readBlobUrl(text: string): BlobUrl {
  const url = URL.parse(text);
  if (url?.protocol !== "s3:") throw new Error("the URL must begin with s3://");
  if (url.hostname === "") throw new Error("the URL has no host");
  if (url.username === "" || url.password === "") throw new Error("the URL has no key and secret before the host");
  const [bucket = "", ...folders] = url.pathname.split("/").slice(1).filter(Boolean);
  if (!/^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket))
    throw new Error("the first segment of the path is not a valid bucket name");
  const { region, scheme } = readParameters(url.searchParams);
  return {
    endpoint: `${scheme}://${url.host}/${bucket}`,
    region,
    accessKeyId: decode(url.username),
    secretAccessKey: decode(url.password),
    prefix: folders.map((folder) => `${folder}/`).join(""),
  };
}

function readParameters(parameters: URLSearchParams): { readonly region: string; readonly scheme: string } {
  for (const name of parameters.keys()) {
    if (name !== "region" && name !== "tls") throw new Error(`unknown parameter "${name}"; use region or tls`);
  }
  const tls = parameters.get("tls") ?? "on";
  if (tls !== "on" && tls !== "off") throw new Error("tls must be on or off");
  return { region: parameters.get("region") ?? "us-east-1", scheme: tls === "on" ? "https" : "http" };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A URIError contains no further detail.
    throw new Error("the key or secret contains a % without two hexadecimal digits");
  }
}
