/** Thread that copies a database, because SQLite does so in one blocking call. */
import { parentPort } from "node:worker_threads";
import { copyDatabase } from "./backup.ts";
import { closeCall, type CallResponse, type CallRequest } from "../threads/call-protocol.ts";
import type { BackupCalls } from "../threads/calls.ts";
import { serializeError } from "../connection/errors.ts";

const port = parentPort;
if (port === null) throw new Error("this module must run as a worker thread");

port.on("message", (request: CallRequest) => {
  const answers: readonly CallResponse[] = [perform(request)];
  port.postMessage(answers);
  if (request.name === closeCall) port.close();
});

function perform({ number, name, parameters }: CallRequest): CallResponse {
  try {
    if (name !== closeCall) copyDatabase(...(parameters as Parameters<BackupCalls["backup"]>));
    return { number };
  } catch (error) {
    return { number, error: serializeError(error) };
  }
}
