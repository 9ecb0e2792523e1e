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
