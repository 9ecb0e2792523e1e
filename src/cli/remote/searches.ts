/** Commands for saved searches, tag rules, and messages that a search finds, over the API. */
import { readFileSync } from "node:fs";
import { suggestion } from "../../core/nearest-name.ts";
import type { Tagging } from "../../core/tagging.ts";
import type { DeletionResult } from "../../operations/messages/delete-matching.ts";
import type { SavedSearch } from "../../operations/searches/saved-searches.ts";
import { exitCodes, type Action, type Call } from "../command.ts";
import { printLine } from "./print-line.ts";
import { openService, openServiceClient, type ServiceClient } from "./service-client.ts";

/** Runs `restante searches list`: prints one search per line, with fields separated by tabs. */
export const listSearchesCommand: Action = async (call) => {
  const { client, path } = openServer(call);
  const searches = await client.list<SavedSearch>("GET", `${path}/searches`);
  for (const { name, q } of searches) printLine(call, [name, q]);
  return exitCodes.done;
};

/** Runs `restante searches save`. */
export const saveSearchCommand: Action = async (call) => {
  const { client, path } = openServer(call);
  const [name = "", q = ""] = call.operands;
  await client.send("PUT", `${path}/searches/${encodeURIComponent(name)}`, { q });
  return exitCodes.done;
};

/** Runs `restante searches remove`. */
export const removeSearchCommand: Action = async (call) => {
  const { client, path } = openServer(call);
  await client.send("DELETE", `${path}/searches/${encodeURIComponent(call.operands[0] ?? "")}`);
  return exitCodes.done;
};

/** Runs `restante tag-rules show`: prints the settings as JSON. */
export const showTagRulesCommand: Action = async (call) => {
  const { client, path } = openServer(call);
  printTagging(call, await client.send<Tagging>("GET", `${path}/tag-rules`));
  return exitCodes.done;
};

/** Runs `restante tag-rules set`: replaces the settings by those of a file, and prints them. */
export const setTagRulesCommand: Action = async (call) => {
  const { client, path } = openServer(call);
  const [file = ""] = call.operands;
  printTagging(call, await client.send<Tagging>("PUT", `${path}/tag-rules`, readTagging(file)));
  return exitCodes.done;
};

/** Runs `restante messages delete`: prints the number of deleted messages. */
export const deleteMessagesCommand: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  const query = new URLSearchParams({ server, q: call.operands[0] ?? "", dir: call.flags.get("dir") ?? "Received" });
  let count = 0;
  for (let hasMore = true; hasMore;) {
    const result = await client.send<DeletionResult>("DELETE", `/api/messages/search?${query.toString()}`);
    count += result.deleted;
    hasMore = result.hasMore && result.deleted > 0;
  }
  printLine(call, [String(count)]);
  return exitCodes.done;
};

/** Runs `restante messages release`: prints the id of the sent message. */
export const releaseMessageCommand: Action = async (call) => {
  const { client } = openService(call);
  const [id = "", addresses = ""] = call.operands;
  const to = addresses.split(",").map((address) => address.trim());
  const path = `/api/messages/${encodeURIComponent(id)}/release`;
  const sent = await client.send<{ readonly id: string }>("POST", path, { to });
  printLine(call, [sent.id]);
  return exitCodes.done;
};

function openServer(call: Call): Pick<ServiceClient, "client"> & { readonly path: string } {
  const { client, server } = openServiceClient(call);
  return { client, path: `/api/servers/${encodeURIComponent(server)}` };
}

/** Reads settings; throws for members that the service would ignore, because it replaces the settings by the others. */
function readTagging(file: string): unknown {
  const settings = readJson(file);
  const known: readonly (keyof Tagging)[] = ["plusAddresses", "rules"];
  const isKnown = (name: string): boolean => known.some((one) => one === name);
  const unknown = Object.keys(Object(settings) as object).find((name) => !isKnown(name));
  if (unknown === undefined) return settings;
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
