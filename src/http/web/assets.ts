/** Built files of the web UI. */
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { WireAddresses } from "../wire/web-schema.ts";
import type { CookieScope, Sessions } from "./sessions.ts";

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
 * Opens the files of a folder. Pages load their files from `basePath`, the path of the service for browsers without a slash at
 * its end. Each is read on its first request rather than at start-up, and stays in memory. Only files that
 * were in the folder at the first request can be found, so no name leads out of it. A missing folder is empty.
 */
export function openAssets(folder: string, basePath = ""): Assets {
  let listing: Promise<ReadonlyMap<string, string>> | undefined;
  const reading = new Map<string, Promise<Asset>>();
  return {
    find: async (name) => {
      listing ??= listFiles(folder);
      const files = await listing;
      if (files.size === 0) listing = undefined;
      const file = files.get(name);
      if (file === undefined) return undefined;
      const asset = reading.get(name) ?? readAsset(file, basePath);
      reading.set(name, asset);
      return asset.catch((error: unknown) => {
        reading.delete(name);
        throw error;
      });
    },
  };
}

/** Returns the paths of files by their names below the folder. */
async function listFiles(folder: string): Promise<ReadonlyMap<string, string>> {
  // Without the built files there is no web UI, and its paths respond with 404.
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.map(async (name) => {
    const file = join(folder, name);
    return (await stat(file)).isFile() ? [[name.split(sep).join("/"), file] as const] : [];
  });
  return new Map((await Promise.all(files)).flat());
}

async function readAsset(file: string, basePath: string): Promise<Asset> {
  const read = await readFile(file);
  const bytes = extname(file) === ".html" ? completePage(read, basePath) : read;
  const contentType = contentTypes[extname(file)] ?? "application/octet-stream";
  return { contentType, bytes, gzip: await compress(bytes) };
}

/** Writes the path of the service into a page, and before the relative addresses of its files. */
function completePage(page: Buffer, basePath: string): Buffer {
  const base = basePath.replaceAll("&", "&amp;");
  const text = page.toString("utf8").replaceAll('"./', () => `"${base}/`);
  return Buffer.from(
    text.replace('data-base=""', () => `data-base="${base}"`),
    "utf8",
  );
}

/** Options for the web UI. */
export interface WebUi {
  readonly assets: Assets;
  readonly sessions: Sessions;
  /** Returns the addresses of the listeners, once they are open. */
  readonly addresses: () => WireAddresses;
  /** Version of the package. */
  readonly version: string;
  readonly cookie: CookieScope;
  /** Returns the free bytes of the disk with the data; null where this process does not know it. */
  readonly freeBytes: () => Promise<number | null>;
}

/** Folder of the built web UI, the same from the sources and from the build. */
export const assetFolder: string = fileURLToPath(new URL("../../../dist/web", import.meta.url));
