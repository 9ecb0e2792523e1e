/** Thread that copies a database, since SQLite does it in one go. */
import { parentPort } from "node:worker_threads";
import { copyDatabase } from "./backup.ts";
import { closeCall } from "../threads/calls.ts";
import type { Answer, BackupCalls, Request } from "../threads/calls.ts";
import { toFault } from "../connection/errors.ts";

const port = parentPort;
if (port === null) throw new Error("this file is the body of a worker thread");

port.on("message", (request: Request) => {
  const answers: readonly Answer[] = [perform(request)];
  port.postMessage(answers);
  if (request.name === closeCall) port.close();
});

function perform({ number, name, parameters }: Request): Answer {
  try {
    if (name !== closeCall) copyDatabase(...(parameters as Parameters<BackupCalls["backup"]>));
    return { number };
  } catch (error) {
    return { number, fault: toFault(error) };
  }
}
