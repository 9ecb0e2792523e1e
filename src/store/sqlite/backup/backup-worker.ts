/** Thread that copies a database, because SQLite does so in one blocking call. */
import { parentPort } from "node:worker_threads";
import { serveCalls } from "../../threads/call-protocol.ts";
import type { BackupCalls } from "../threads/calls.ts";
import { serializeSqliteError } from "../connection/errors.ts";
import { copyDatabase } from "./backup.ts";

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");
serveCalls(port, {
  call: ({ parameters }) => {
    copyDatabase(...(parameters as Parameters<BackupCalls["backup"]>));
  },
  close: () => undefined,
  serialize: serializeSqliteError,
});
