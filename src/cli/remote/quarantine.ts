import type { RetryQuarantineRequest } from "../../client/generated/types.ts";
import { exitCodes, type Action } from "../command.ts";
import { printLine } from "./print-line.ts";
import { openService } from "./service-client.ts";

/** Runs `restante quarantine list`: prints quarantined work; exits with 1 when there is any. */
export const listQuarantine: Action = async (call) => {
  const { client } = openService(call);
  const works = await client.service.quarantine();
  for (const { queue, id, message, quarantined, attempts } of works) {
    printLine(call, [queue, id, message ?? "-", quarantined, String(attempts)]);
  }
  return works.length > 0 ? exitCodes.failed : exitCodes.done;
};

/** Runs `restante quarantine retry`. */
export const retryQuarantine: Action = async (call) => {
  const { client } = openService(call);
  const [queue, id] = [call.flags.get("queue"), call.flags.get("id")];
  const request: RetryQuarantineRequest = {
    ...(queue !== undefined && { queue: queue as never }),
    ...(id !== undefined && { id }),
  };
  call.terminal.out(`${String(await client.service.retryQuarantine(request))}\n`);
  return exitCodes.done;
};
