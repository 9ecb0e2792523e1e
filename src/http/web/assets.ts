/** Built files of the web UI. */
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A file, ready to be sent. */
export interface Asset {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The same content compressed by gzip (RFC 1952). */
  readonly gzip: Uint8Array;
}

/** A folder of files that does not change while the service runs. */
export interface Assets {
  /** Finds a file by its name below the folder, with forward slashes; undefined when there is none. */
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
 * Opens the files of a folder. They are read on the first request rather than at start-up, and stay in memory. Only
 * files that were in the folder then can be found, so no name leads out of it. A missing folder is empty.
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
  // Without the built files there is no web UI, and its paths respond with 404.
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const assets = names.map(async (name) => {
    const file = join(folder, name);
    if (!(await stat(file)).isFile()) return [];
    const bytes = await readFile(file);
    const contentType = contentTypes[extname(file)] ?? "application/octet-stream";
    return [[name.split(sep).join("/"), { contentType, bytes, gzip: await compress(bytes) }] as const];
  });
  return new Map((await Promise.all(assets)).flat());
}
