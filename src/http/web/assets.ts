/** The built files of the web UI. */
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** One file, ready to be sent. */
export interface Asset {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The same, compressed (RFC 1952). */
  readonly gzip: Uint8Array;
}

/** A folder of files that does not change while the service runs. */
export interface Assets {
  /** The file of that name below the folder, with forward slashes; undefined when there is none. */
  find(name: string): Promise<Asset | undefined>;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};
const compress = promisify(gzip);

/**
 * The files of a folder. Read at the first question, not at the start, which mail waits for, and kept from then on. Only
 * what was in the folder then can be found, so no name leads out of it. A folder that is not there holds nothing.
 */
export function openAssets(folder: string): Assets {
  let reading: Promise<ReadonlyMap<string, Asset>> | undefined;
  return {
    find: async (name) => {
      reading ??= readAssets(folder);
      const assets = await reading;
      if (assets.size === 0) reading = undefined;
      return assets.get(name);
    },
  };
}

async function readAssets(folder: string): Promise<ReadonlyMap<string, Asset>> {
  // Without the built files there is no web UI, and its paths response 404.
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const assets = files.map(async (file) => {
    const bytes = await readFile(file);
    const contentType = contentTypes[extname(file)] ?? "application/octet-stream";
    return [relative(folder, file).split(sep).join("/"), { contentType, bytes, gzip: await compress(bytes) }] as const;
  });
  return new Map(await Promise.all(assets));
}
