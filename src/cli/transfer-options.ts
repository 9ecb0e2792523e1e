/** What `restante export` and `restante import` have in common. */
import { statSync } from "node:fs";
import { parseServerId, type ServerId } from "../core/ids.ts";
import type { TransferResult } from "../transfer/progress.ts";
import { UsageError, type Call } from "./command.ts";
import { megabytes, whole, type Pace } from "./progress-bar.ts";

/** What a move writes or reads. */
export type TransferFormat = "ndjson" | "mbox" | "maildir";

const formats: readonly TransferFormat[] = ["ndjson", "mbox", "maildir"];

/** Standard output or input. */
export const streamName = "-";

/** The format that was asked for, else what the name of the file or folder says. Throws {@link UsageError}. */
export function formatOf({ operands, flags }: Pick<Call, "operands" | "flags">): TransferFormat {
  const [path = ""] = operands;
  const given = flags.get("format");
  const format = formats.find((one) => one === given) ?? (given === undefined ? formatByName(path) : undefined);
  if (format === undefined) throw new UsageError(`--format: "${given}" is not known; give ${formats.join(", ")}`);
  if (format === "maildir" && path === streamName) throw new UsageError("a maildir is a folder, and cannot be -");
  return format;
}

function formatByName(path: string): TransferFormat {
  if (/\.mbox$/i.test(path)) return "mbox";
  const isFolder = path !== streamName && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder || path.endsWith("/") ? "maildir" : "ndjson";
}

/** The servers that were named, each once; null where none was. Throws {@link UsageError}. */
export function serversOf({ flags }: Pick<Call, "flags">): readonly ServerId[] | null {
  const given = flags.get("server");
  if (given === undefined) return null;
  const ids = given.split(",").map((text) => {
    const id = parseServerId(text.trim());
    if (id === undefined) throw new UsageError(`--server: "${text}" is no server's id`);
    return id;
  });
  return [...new Set(ids)];
}

/** One sentence about what was moved, and one about each thing that was not. */
export function transferSummary(verb: "Exported" | "Imported", moved: TransferResult, pace: Pace): string {
  const { servers, messages, there, textsLeftOut, waiting } = moved;
  const speed = `${megabytes(pace.bytes)} in ${pace.seconds.toFixed(1)} s, ${whole(messages / pace.seconds)} a second`;
  const lines = [`${verb} ${counted(messages, "message")} of ${counted(servers, "server")}: ${speed}.`];
  if (there > 0) lines.push(`${counted(there, "message")} had been there before.`);
  if (textsLeftOut > 0) lines.push(`LEFT OUT: ${counted(textsLeftOut, "text")} (SMS), which only ndjson can hold.`);
  if (waiting > 0) {
    const which = `${counted(waiting, "sent message")} with deliveries that have not ended`;
    lines.push(`Of ${which} the deliveries stay in the outbox here.`);
  }
  return `${lines.join("\n")}\n`;
}

function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? "" : "s"}`;
}
