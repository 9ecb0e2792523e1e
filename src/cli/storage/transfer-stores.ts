/** Stores of exports and imports, as the settings name them. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { reachDatabase } from "../../app/open-store.ts";
import type { Config } from "../../app/settings/config.ts";
import { defaultQuota } from "../../core/limits.ts";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import { openSqliteSource } from "../../store/sqlite/backup/source.ts";
import { openSqliteStore } from "../../store/sqlite/open.ts";
import type { StoreSource } from "../../store/store-source.ts";
import type { Store } from "../../store/store.ts";
import type { TransferResult } from "../../transfer/progress.ts";
import { type Call, UsageError } from "../command.ts";
import { megabytes, type Pace, whole } from "./progress-bar.ts";

type Place = Pick<Config, "databaseUrl" | "dataDir" | "blobUrl" | "limits">;

/** Opens the store for reading, also while its service runs. Rejects with an `Error` for the operator. */
export async function openSource(place: Place): Promise<StoreSource & Partial<Pick<Store, "audit">>> {
  return place.databaseUrl === null ? openSqliteSource(place.dataDir) : await openShared(place, place.databaseUrl);
}

/**
 * Opens the store for writing and creates it if it does not exist. Rejects with an `Error` for the operator, also when a
 * service is running in the data folder.
 */
export async function openTarget(place: Place): Promise<Store> {
  const { databaseUrl, dataDir, limits } = place;
  return databaseUrl === null
    ? await openSqliteStore({ directory: dataDir, durable: true, quota: defaultQuota(limits) })
    : await openShared(place, databaseUrl);
}

async function openShared({ blobUrl, limits }: Place, url: string): Promise<Store> {
  const { openPostgresStore } = await import("../../store/postgres/open.ts");
  return await reachDatabase(async () => {
    const largeContent =
      blobUrl === null ? null : (await import("../../store/postgres/content/blobs-s3.ts")).openS3(blobUrl);
    return await openPostgresStore({ url, largeContent, quota: defaultQuota(limits) });
  });
}

// Options and messages of `restante export` and `restante import`.

/** Format of an export. */
export type TransferFormat = "ndjson" | "mbox" | "maildir" | "eml" | "zip";

const formats: readonly TransferFormat[] = ["ndjson", "mbox", "maildir", "eml", "zip"];

/** Path that means standard output or input. */
export const streamName = "-";

/** Returns the format of `--format`, else that of the file name or folder. Throws {@link UsageError}. */
export function formatOf({ operands, flags }: Pick<Call, "operands" | "flags">): TransferFormat {
  const [path = ""] = operands;
  const given = flags.get("format");
  const format = formats.find((one) => one === given) ?? (given === undefined ? formatByName(path) : undefined);
  if (format === undefined) throw new UsageError(`--format: "${given}" is not one of ${formats.join(", ")}`);
  if (path === streamName && format !== "ndjson" && format !== "mbox") {
    throw new UsageError(`${format} is read and written by its name; - is not supported`);
  }
  return format;
}

function formatByName(path: string): TransferFormat {
  if (/\.mbox$/i.test(path)) return "mbox";
  if (/\.zip$/i.test(path)) return "zip";
  if (/\.eml$/i.test(path)) return "eml";
  const isFolder = path !== streamName && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder && !existsSync(join(path, "cur")) && readdirSync(path).length > 0) return "eml";
  return isFolder || path.endsWith("/") ? "maildir" : "ndjson";
}

/** Returns the servers of `--server` without duplicates; null when the flag is absent. Throws {@link UsageError}. */
export function serversOf({ flags }: Pick<Call, "flags">): readonly ServerId[] | null {
  const given = flags.get("server");
  if (given === undefined) return null;
  const ids = given.split(",").map((text) => {
    const id = parseServerId(text.trim());
    if (id === undefined) throw new UsageError(`--server: "${text}" is not a server id`);
    return id;
  });
  return [...new Set(ids)];
}

/** Returns a summary of a transfer: one sentence about what was transferred, and one about each kind of omission. */
export function transferSummary(verb: "Exported" | "Imported", result: TransferResult, pace: Pace): string {
  const { servers, messages, existing, smsOmitted, waiting, passwordResets, skipped } = result;
  const speed = `${megabytes(pace.bytes)} in ${pace.seconds.toFixed(1)} s, ${whole(messages / pace.seconds)} a second`;
  const lines = [`${verb} ${counted(messages, "message")} of ${counted(servers, "server")}: ${speed}.`];
  if (existing > 0) lines.push(`${counted(existing, "message")} already existed.`);
  if (smsOmitted > 0) lines.push(`OMITTED: ${whole(smsOmitted)} SMS, which only ndjson can contain.`);
  for (const one of skipped) lines.push(`SKIPPED: ${one}.`);
  if (waiting > 0) {
    lines.push(`Pending deliveries of ${counted(waiting, "sent message")} stay in the outbox of this store.`);
  }
  if (passwordResets.length > 0) {
    lines.push(
      `${counted(passwordResets.length, "server")} got a new SMTP password, because the one in the export was encrypted with another secret key: ${passwordResets.join(", ")}. Read it with GET /api/servers/:id/password, or repeat the import with the original RESTANTE_SECRET_KEY.`,
    );
  }
  return `${lines.join("\n")}\n`;
}

/** Returns a number with its noun, in the plural where it is not one. */
export function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
}
