import { createReadStream, statSync } from "node:fs";
import { createEmailReading } from "../operations/email-reader.ts";
import { importExport } from "../moving/import-lines.ts";
import { exitCodes, type Action } from "./command.ts";
import { configOf } from "./config-of.ts";
import { formatOf, serversOf, streamName, tellMoved } from "./moving.ts";
import { openTarget } from "./moving-stores.ts";
import { ProgressBar } from "./progress-bar.ts";

const chunkBytes = 1024 * 1024;

/** `restante import SOURCE`: into a data folder that no service uses, or into a PostgreSQL that nodes may use. */
export const importCommand: Action = async (call) => {
  const { operands, flags, terminal } = call;
  const [path = ""] = operands;
  formatOf(call);
  const servers = serversOf(call);
  const config = configOf(call);
  const progress = new ProgressBar(terminal, flags.has("quiet"));
  const chunks = path === streamName ? process.stdin : createReadStream(path, { highWaterMark: chunkBytes });
  if (path !== streamName) progress.expect(statSync(path).size);
  const store = await openTarget(config);
  const reading = createEmailReading(config.limits, terminal.clock);
  try {
    const moved = await importExport(chunks, { store, readEmail: reading.read, servers, progress });
    const told = tellMoved("Imported", moved, progress.end());
    terminal.out(told);
    return exitCodes.done;
  } finally {
    progress.end();
    chunks.destroy();
    await reading.close();
    await store.close();
  }
};
