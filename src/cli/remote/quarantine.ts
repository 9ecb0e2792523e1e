import type { WireQuarantine } from "../../http/wire/quarantine-schema.ts";
import { exitCodes, type Action } from "../command.ts";
import { printLine } from "./print-line.ts";
import { openService } from "./service-client.ts";

/** Runs `restante quarantine list`: prints quarantined work; exits with 1 when there is any. */
export const listQuarantine: Action = async (call) => {
  const { client } = openService(call);
  const works = await client.list<WireQuarantine>("GET", "/api/quarantine");
  for (const { queue, id, message, quarantined, attempts } of works) {
    printLine(call, [queue, id, message ?? "-", quarantined, String(attempts)]);
  }
  return works.length > 0 ? exitCodes.failed : exitCodes.done;
};

/** Runs `restante quarantine retry`. */
export const retryQuarantine: Action = async (call) => {
  const { client } = openService(call);
  const [queue, id] = [call.flags.get("queue"), call.flags.get("id")];
  const request = { ...(queue !== undefined && { queue }), ...(id !== undefined && { id }) };
  const { replayed } = await client.send<{ readonly replayed: number }>("POST", "/api/quarantine/retry", request);
  call.terminal.out(`${String(replayed)}\n`);
  return exitCodes.done;
};
