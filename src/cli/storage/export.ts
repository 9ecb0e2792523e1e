import { resolve } from "node:path";
import { readVersion } from "../../app/version.ts";
import { exportMaildir, exportMboxToFile, exportMboxToStream } from "../../transfer/export-mail.ts";
import { type ExportRequest, exportToFile, exportToStream } from "../../transfer/export-store.ts";
import type { TransferResult } from "../../transfer/progress.ts";
import { type Action, configOf, exitCodes, UsageError } from "../command.ts";
import { formatOf, openSource, serversOf, streamName, transferSummary } from "./transfer-stores.ts";
import type { TransferFormat } from "./transfer-stores.ts";
import { ProgressBar } from "./progress-bar.ts";
import { recordCommand } from "../record-command.ts";

/** Runs `restante export DEST`, also while the service runs. When the export goes to standard output, messages go to standard error. */
export const exportCommand: Action = async (call) => {
  const { operands, flags, terminal } = call;
  const [path = ""] = operands;
  const format = formatOf(call);
  if (format === "eml" || format === "zip") throw new UsageError(`${format} can be imported, but not exported`);
  const servers = serversOf(call);
  const config = configOf(call);
  const progress = new ProgressBar(terminal, flags.has("quiet"));
  const source = await openSource(config);
  try {
    const writtenBy = `restante ${readVersion()}`;
    const request = { source, servers, writtenBy, now: terminal.clock.now(), progress };
    const result =
      path === streamName
        ? await (format === "mbox" ? exportMboxToStream : exportToStream)(request, process.stdout)
        : await toPath(request, format, path);
    if (typeof result !== "string") {
      const details = { format, servers: servers ?? [], messages: result.messages, isWhole: servers === null };
      await recordCommand({ config, terminal, store: source }, "store.export", { details });
    }
    const text = typeof result === "string" ? result : transferSummary("Exported", result, progress.end());
    if (path === streamName) terminal.error(text);
    else terminal.out(text);
    return exitCodes.done;
  } finally {
    progress.end();
    await source.close();
  }
};

/** Returns the result, or a message when the file already contains a complete export. */
async function toPath(request: ExportRequest, format: TransferFormat, path: string): Promise<TransferResult | string> {
  if (format === "mbox") return await exportMboxToFile(request, resolve(path));
  if (format === "maildir") return await exportMaildir(request, resolve(path));
  const { result, foundFrom } = await exportToFile(request, resolve(path));
  if (foundFrom === null) return result;
  return `${path} already contains a complete export of ${foundFrom}; nothing was written. Use another file for a new export.\n`;
}
