import { createReadStream, statSync } from "node:fs";
import type { Config } from "../app/config.ts";
import type { ServerId } from "../core/ids.ts";
import { importExport } from "../moving/import-lines.ts";
import { importMaildir, importMbox } from "../moving/import-mail.ts";
import type { Moved, Progress } from "../moving/progress.ts";
import type { EmailReader } from "../operations/email-content.ts";
import { createEmailReading } from "../operations/email-reader.ts";
import type { Store } from "../store/store.ts";
import { exitCodes, UsageRefused, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";
import { formatOf, serversOf, streamName, tellMoved, type MoveFormat } from "./moving.ts";
import { openTarget } from "./moving-stores.ts";
import { ProgressBar } from "./progress-bar.ts";

const chunkBytes = 1024 * 1024;

/** `restante import SOURCE`: into a data folder that no service uses, or into a PostgreSQL that nodes may use. */
export const importCommand: Action = async (call) => {
  const { operands, flags, terminal } = call;
  const [path = ""] = operands;
  const format = formatOf(call);
  const servers = serversOf(call);
  if (format !== "ndjson") requireOneServer(format, servers);
  const config = configOf(call);
  const progress = new ProgressBar(terminal, flags.has("quiet"));
  if (path !== streamName) progress.expect(statSync(path).size);
  const store = await openTarget(config);
  const reading = createEmailReading(config.limits, terminal.clock);
  try {
    const target = { store, readEmail: reading.read, progress, config };
    const moved = await bring(path, { format, servers, ...target });
    terminal.out(tellMoved("Imported", moved, progress.end()));
    return exitCodes.done;
  } finally {
    progress.end();
    await reading.close();
    await store.close();
  }
};

interface Bringing {
  readonly format: MoveFormat;
  readonly servers: readonly ServerId[] | null;
  readonly store: Store;
  readonly readEmail: EmailReader;
  readonly progress: Progress;
  readonly config: Pick<Config, "limits">;
}

async function bring(path: string, { format, servers, config, ...target }: Bringing): Promise<Moved> {
  const mail = { ...target, server: servers?.[0] ?? ("" as ServerId), mailBytesMax: config.limits.messageBytesMax };
  if (format === "maildir") return await importMaildir(path, mail);
  const chunks = path === streamName ? process.stdin : createReadStream(path, { highWaterMark: chunkBytes });
  try {
    return format === "mbox" ? await importMbox(chunks, mail) : await importExport(chunks, { ...target, servers });
  } finally {
    chunks.destroy();
  }
}

function requireOneServer(format: MoveFormat, servers: readonly ServerId[] | null): void {
  if (servers?.length === 1) return;
  throw new UsageRefused(`${format} holds mail and no server: name the one that gets it with --server`);
}
