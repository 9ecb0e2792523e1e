/** Commands for saved searches, tag rules, and messages that a search finds, over the API. */
import { readFileSync } from "node:fs";
import { suggestion } from "../../core/nearest-name.ts";
import type { Tagging } from "../../client/generated/types.ts";
import { type Action, type Call, exitCodes } from "../command.ts";
import { openService, openServiceClient, printLine } from "./service-client.ts";

/** Runs `restante searches list`: prints one search per line, with fields separated by tabs. */
export const listSearchesCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  for (const { name, q } of await client.servers.searches(server)) printLine(call, [name, q]);
  return exitCodes.done;
};

/** Runs `restante searches save`. */
export const saveSearchCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  const [name = "", q = ""] = call.operands;
  await client.servers.saveSearch(server, { name, q });
  return exitCodes.done;
};

/** Runs `restante searches remove`. */
export const removeSearchCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  await client.servers.deleteSearch(server, call.operands[0] ?? "");
  return exitCodes.done;
};

/** Runs `restante tag-rules show`: prints the settings as JSON. */
export const showTagRulesCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  printTagging(call, await client.marks.rules(server));
  return exitCodes.done;
};

/** Runs `restante tag-rules set`: replaces the settings by those of a file, and prints them. */
export const setTagRulesCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  printTagging(call, await client.marks.putRules(server, readTagging(call.operands[0] ?? "")));
  return exitCodes.done;
};

/** Runs `restante messages delete`: prints the number of deleted messages. */
export const deleteMessagesCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  // The service validates it.
  const dir = (call.flags.get("dir") ?? "Received") as "Received";
  printLine(call, [String(await client.messages.deleteMatching(server, call.operands[0] ?? "", { dir }))]);
  return exitCodes.done;
};

/** Runs `restante messages release`: prints the id of the sent message. */
export const releaseMessageCommand: Action = async (call) => {
  const { client } = openService(call);
  const [id = "", addresses = ""] = call.operands;
  const to = addresses.split(",").map((address) => address.trim());
  printLine(call, [(await client.messages.release(id, to)).id]);
  return exitCodes.done;
};

/** Reads settings; throws for members that the service would ignore, because it replaces the settings by the others. */
function readTagging(file: string): Tagging {
  const settings = readJson(file);
  const known: readonly (keyof Tagging)[] = ["plusAddresses", "rules"];
  const isKnown = (name: string): boolean => known.some((one) => one === name);
  const unknown = Object.keys(Object(settings) as object).find((name) => !isKnown(name));
  if (unknown === undefined) return settings as Tagging;
  throw new Error(
    `${file}: unknown member ${JSON.stringify(unknown)}${suggestion(unknown, known)}; known are ${known.join(", ")}`,
  );
}

function readJson(file: string): unknown {
  const text = readFileSync(file === "-" ? 0 : file, "utf8");
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${file}: not JSON`, { cause: error });
  }
}

function printTagging(call: Call, tagging: Tagging): void {
  call.terminal.out(`${JSON.stringify(tagging, null, 2)}\n`);
}
