import { resolve } from "node:path";
import { readVersion } from "../app/version.ts";
import { exportToFile, exportToStream } from "../moving/export-store.ts";
import type { Moved } from "../moving/progress.ts";
import { exitCodes, type Action, type Call } from "./command.ts";
import { configOf } from "./config-of.ts";
import { formatOf, serversOf, streamName, tellMoved } from "./moving.ts";
import { openSource } from "./moving-stores.ts";
import { ProgressBar } from "./progress-bar.ts";

/** `restante export DEST`: reads the store beside the service, if one runs. */
export const exportCommand: Action = async (call) => {
  const { operands, flags, terminal } = call;
  const [path = ""] = operands;
  formatOf(call);
  const servers = serversOf(call);
  const config = configOf(call);
  const isQuiet = flags.has("quiet");
  const progress = new ProgressBar(terminal, isQuiet);
  const source = await openSource(config);
  try {
    const request = { source, servers, writtenBy: `restante ${readVersion()}`, now: terminal.clock.now(), progress };
    if (path === streamName) {
      const moved = await exportToStream(request, process.stdout);
      if (!isQuiet) terminal.error(tellMoved("Exported", moved, progress.end()));
      return exitCodes.done;
    }
    const { moved, foundFrom } = await exportToFile(request, resolve(path));
    tell(call, progress, { moved, foundFrom });
    return exitCodes.done;
  } finally {
    progress.end();
    await source.close();
  }
};

function tell(
  { operands, terminal }: Call,
  progress: ProgressBar,
  { moved, foundFrom }: { readonly moved: Moved; readonly foundFrom: string | null },
): void {
  const pace = progress.end();
  terminal.out(
    foundFrom === null
      ? tellMoved("Exported", moved, pace)
      : `${operands[0]} is a whole export already, of ${foundFrom}; nothing was written. Name another file for a new one.\n`,
  );
}
