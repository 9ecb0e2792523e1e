/** Commands that manage fault rules over the API. */
import type { Fault, PutFaultsQuery, PutFaultsRequest, RetryQuarantineRequest } from "../../client/generated/types.ts";
import { ruleOf } from "../../core/fault.ts";
import { type Action, type Call, exitCodes } from "../command.ts";
import { openService, openServiceClient, printLine, readJson } from "./service-client.ts";

/** Runs `restante faults list`: prints one rule per line, with fields separated by tabs, or the JSON of all. */
export const listFaultsCommand: Action = async (call) => {
  const list = await openRules(call).list();
  if (call.flags.has("json")) call.terminal.out(`${JSON.stringify(list, null, 2)}\n`);
  else printRules(call, list);
  return exitCodes.done;
};

/** Runs `restante faults set`: replaces the rules by those of a file, and prints them. */
export const setFaultsCommand: Action = async (call) => {
  const query = call.flags.has("keep-counts") ? ({ counts: "keep" } as const) : {};
  const body = readJson(call.operands[0] ?? "") as PutFaultsRequest;
  printRules(call, await openRules(call).replace({ query, body }));
  return exitCodes.done;
};

/** Runs `restante faults pause`: pauses one rule, and prints all. */
export const pauseFaultCommand: Action = async (call) => setPaused(call, true);

/** Runs `restante faults resume`: resumes one rule, and prints all. */
export const resumeFaultCommand: Action = async (call) => setPaused(call, false);

async function setPaused(call: Call, paused: boolean): Promise<number> {
  const [name = ""] = call.operands;
  const rules = openRules(call);
  const list = await rules.list();
  if (!list.some((rule) => rule.name === name)) throw new Error(`There is no fault rule with the name ${name}`);
  const items = list.map((rule) =>
    rule.name === name ? ruleOf({ ...rule, paused }) : ruleOf(rule),
  ) as PutFaultsRequest["items"];
  printRules(call, await rules.replace({ query: { counts: "keep" }, body: { items } }));
  return exitCodes.done;
}

/** Runs `restante faults clear`. */
export const clearFaultsCommand: Action = async (call) => {
  await openRules(call).clear();
  return exitCodes.done;
};

/** Rules of the server of `--server`, or with `--service` those of the service. */
interface Rules {
  readonly list: () => Promise<readonly Fault[]>;
  readonly replace: (parameters: {
    readonly query: PutFaultsQuery;
    readonly body: PutFaultsRequest;
  }) => Promise<readonly Fault[]>;
  readonly clear: () => Promise<void>;
}

function openRules(call: Call): Rules {
  if (call.flags.has("service")) {
    const { client, transport } = openService(call);
    return {
      list: async () => client.faults.listForService(),
      replace: async (parameters) => transport.call("putServiceFaults", parameters),
      clear: async () => client.faults.clearForService(),
    };
  }
  const { client, transport, server } = openServiceClient(call);
  return {
    list: async () => client.faults.list(server),
    replace: async (parameters) => transport.call("putFaults", { path: { id: server }, ...parameters }),
    clear: async () => client.faults.clear(server),
  };
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
