/** Commands that manage fault rules over the API. */
import { readFileSync } from "node:fs";
import type { WireFaultList } from "../http/wire/fault-schema.ts";
import { exitCodes, type Action, type Call } from "./command.ts";
import { printLine } from "./print-line.ts";
import { openServiceClient } from "./service-client.ts";

/** Runs `restante faults list`: prints one rule per line, with fields separated by tabs, or the JSON of all. */
export const listFaultsCommand: Action = async (call) => {
  const { client, path } = openFaults(call);
  const list = await client.send<WireFaultList>("GET", path);
  if (call.flags.has("json")) call.terminal.out(`${JSON.stringify(list, null, 2)}\n`);
  else printRules(call, list);
  return exitCodes.done;
};

/** Runs `restante faults set`: replaces the rules by those of a file, and prints them. */
export const setFaultsCommand: Action = async (call) => {
  const { client, path } = openFaults(call);
  const [file = ""] = call.operands;
  printRules(call, await client.send<WireFaultList>("PUT", path, readRules(file)));
  return exitCodes.done;
};

/** Runs `restante faults clear`. */
export const clearFaultsCommand: Action = async (call) => {
  const { client, path } = openFaults(call);
  await client.send("DELETE", path);
  return exitCodes.done;
};

function openFaults(call: Call): {
  readonly client: ReturnType<typeof openServiceClient>["client"];
  readonly path: string;
} {
  const { client, server } = openServiceClient(call);
  return {
    client,
    path: call.flags.has("service") ? "/api/faults" : `/api/servers/${encodeURIComponent(server)}/faults`,
  };
}

/** Reads `{"items": [rule, …]}`, or the array alone. */
function readRules(file: string): unknown {
  const text = readFileSync(file === "-" ? 0 : file, "utf8");
  try {
    const rules = JSON.parse(text) as unknown;
    return Array.isArray(rules) ? { items: rules as readonly unknown[] } : rules;
  } catch (error) {
    throw new Error(`${file}: not JSON`, { cause: error });
  }
}

function printRules(call: Call, { items }: WireFaultList): void {
  for (const { name, state, match, then, seen, hits, skipped } of items) {
    const stages = typeof match.stage === "string" ? match.stage : match.stage.join(",");
    const counts = [seen, hits, skipped].map(String);
    printLine(call, [name, state, stages, JSON.stringify(then), ...counts]);
  }
}
