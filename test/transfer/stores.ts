/** Stores for export and import tests. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { ServerId } from "../../src/core/ids.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { exportToStream, type ExportRequest } from "../../src/transfer/export-store.ts";
import { importExport } from "../../src/transfer/import-lines.ts";
import type { TransferResult, Progress } from "../../src/transfer/progress.ts";
import { readEmail } from "../../src/operations/services/reading/read-email.ts";
import type { LargeContent } from "../../src/store/postgres/content/blobs.ts";
import { openPostgresStore } from "../../src/store/postgres/open.ts";
import { emptyDatabaseUrl, releaseDatabase } from "../../src/store/postgres/reused-database.test-aid.ts";
import { directoryWithDatabase } from "../../src/store/sqlite/new-database.test-aid.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import { sameThread } from "../../src/store/sqlite/threads/same-thread.test-aid.ts";
import type { StoreSource } from "../../src/store/store-source.ts";
import type { Store } from "../../src/store/store.ts";
import { epochMs } from "./content.ts";

/** Progress callbacks that do nothing. */
export const unwatched: Progress = { expect: () => undefined, advance: () => undefined };

/** Temporary directory that is deleted after the test. */
export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "restante-moving-"));
  onTestFinished(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Empty store that is closed and deleted at the end of its scope. */
export async function anSqliteStore(): Promise<
  { readonly store: Store; readonly directory: string } & AsyncDisposable
> {
  const directory = directoryWithDatabase("restante-moving-");
  const store = await openSqliteStore({ directory, durable: false, threads: sameThread });
  return {
    store,
    directory,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Like {@link anSqliteStore}, on PostgreSQL; large content may be stored in a bucket. */
export async function aPostgresStore(
  largeContent: LargeContent | null = null,
): Promise<{ readonly store: Store; readonly url: string } & AsyncDisposable> {
  const url = await emptyDatabaseUrl();
  const store = await openPostgresStore({ url, largeContent });
  return {
    store,
    url,
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await releaseDatabase(url);
    },
  };
}

/** Request to export the store. */
export function requestOf(source: StoreSource, servers: readonly ServerId[] | null = null): ExportRequest {
  return { source, servers, writtenBy: "restante test", now: epochMs, progress: unwatched };
}

/** Returns all bytes of an export. */
export async function exported(source: StoreSource, servers: readonly ServerId[] | null = null): Promise<Buffer> {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  await exportToStream(requestOf(source, servers), stream);
  return Buffer.concat(chunks);
}

/** Returns the lines of an export without what an import changes: UIDVALIDITYs, and with them the checksum. */
export function comparable(bytes: Buffer): readonly string[] {
  const lines = bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => line.replace(/,"uidValidity":\d+/, "").replace(/,"sha256":"[0-9a-f]+"/, ""));
}

/** Imports bytes that arrive in chunks of the given size. */
export async function imported(
  store: Store,
  bytes: Uint8Array,
  {
    servers = null,
    chunkBytes = 65_536,
  }: { readonly servers?: readonly ServerId[] | null; readonly chunkBytes?: number } = {},
): Promise<TransferResult> {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    await Promise.resolve();
  };
  const read = (raw: Uint8Array) => readEmail(raw, defaultLimits);
  return await importExport(chunks(), {
    store,
    secrets: null,
    readEmail: read,
    now: epochMs,
    servers,
    progress: unwatched,
  });
}
