/** Commands that manage fault rules over the API. */
import type { Fault, PutFaultsRequest, RetryQuarantineRequest } from "../../client/generated/types.ts";
import { type Action, type Call, exitCodes } from "../command.ts";
import { openService, openServiceClient, printLine, readJson, type ServiceClient } from "./service-client.ts";

/** Runs `restante faults list`: prints one rule per line, with fields separated by tabs, or the JSON of all. */
export const listFaultsCommand: Action = async (call) => {
  const list = await (call.flags.has("service")
    ? openService(call).client.faults.listForService()
    : onServer(call, ({ client, server }) => client.faults.list(server)));
  if (call.flags.has("json")) call.terminal.out(`${JSON.stringify(list, null, 2)}\n`);
  else printRules(call, list);
  return exitCodes.done;
};

/** Runs `restante faults set`: replaces the rules by those of a file, and prints them. */
export const setFaultsCommand: Action = async (call) => {
  const parameters = {
    query: call.flags.has("keep-counts") ? ({ counts: "keep" } as const) : {},
    body: readJson(call.operands[0] ?? "") as PutFaultsRequest,
  };
  const list = await (call.flags.has("service")
    ? openService(call).transport.call("putServiceFaults", parameters)
    : onServer(call, ({ transport, server }) => transport.call("putFaults", { path: { id: server }, ...parameters })));
  printRules(call, list);
  return exitCodes.done;
};

/** Runs `restante faults clear`. */
export const clearFaultsCommand: Action = async (call) => {
  await (call.flags.has("service")
    ? openService(call).client.faults.clearForService()
    : onServer(call, ({ client, server }) => client.faults.clear(server)));
  return exitCodes.done;
};

async function onServer<Result>(call: Call, run: (service: ServiceClient) => Promise<Result>): Promise<Result> {
  return run(openServiceClient(call));
}

function printRules(call: Call, list: readonly Fault[]): void {
  for (const { name, state, match, then, seen, hits, skipped } of list) {
    const stages = typeof match.stage === "string" ? match.stage : match.stage.join(",");
    const counts = [seen, hits, skipped].map(String);
    printLine(call, [name, state, stages, JSON.stringify(then), ...counts]);
  }
}

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
