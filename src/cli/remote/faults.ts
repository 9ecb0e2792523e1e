/** Commands that manage fault rules over the API. */
import { readFileSync } from "node:fs";
import type { ShownFault } from "../../operations/faults/fault-rules.ts";
import { exitCodes, type Action, type Call } from "../command.ts";
import { printLine } from "./print-line.ts";
import type { ApiClient } from "./api-client.ts";
import { openService, openServiceClient } from "./service-client.ts";

/** Runs `restante faults list`: prints one rule per line, with fields separated by tabs, or the JSON of all. */
export const listFaultsCommand: Action = async (call) => {
  const { client, path } = openFaults(call);
  const list = await client.list<ShownFault>("GET", path);
  if (call.flags.has("json")) call.terminal.out(`${JSON.stringify(list, null, 2)}\n`);
  else printRules(call, list);
  return exitCodes.done;
};

/** Runs `restante faults set`: replaces the rules by those of a file, and prints them. */
export const setFaultsCommand: Action = async (call) => {
  const { client, path } = openFaults(call);
  const [file = ""] = call.operands;
  const query = call.flags.has("keep-counts") ? `${path}?counts=keep` : path;
  printRules(call, await client.list<ShownFault>("PUT", query, readRules(file)));
  return exitCodes.done;
};

/** Runs `restante faults clear`. */
export const clearFaultsCommand: Action = async (call) => {
  const { client, path } = openFaults(call);
  await client.send("DELETE", path);
  return exitCodes.done;
};

function openFaults(call: Call): {
  readonly client: ApiClient;
  readonly path: string;
} {
  if (call.flags.has("service")) return { client: openService(call).client, path: "/api/faults" };
  const { client, server } = openServiceClient(call);
  return { client, path: `/api/servers/${encodeURIComponent(server)}/faults` };
}

/** Reads `{"items": [rule, …]}`, or the array alone. */
function readRules(file: string): unknown {
  const text = readFileSync(file === "-" ? 0 : file, "utf8");
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${file}: not JSON`, { cause: error });
  }
}

function printRules(call: Call, list: readonly ShownFault[]): void {
  for (const { name, state, match, then, seen, hits, skipped } of list) {
    const stages = typeof match.stage === "string" ? match.stage : match.stage.join(",");
    const counts = [seen, hits, skipped].map(String);
    printLine(call, [name, state, stages, JSON.stringify(then), ...counts]);
  }
}
