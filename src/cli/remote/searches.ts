/** Commands for saved searches, tag rules, and messages that a search finds, over the API. */
import { suggestion } from "../../core/nearest-name.ts";
import type { Tagging } from "../../client/generated/types.ts";
import { type Action, type Call, exitCodes } from "../command.ts";
import { openService, printing, printLine, readJson } from "./service-client.ts";

/** Runs `restante searches list`: prints one search per line, with fields separated by tabs. */
export const listSearchesCommand: Action = printing(async ({ client, server }) =>
  (await client.servers.searches(server)).map(({ name, q }) => [name, q]),
);

/** Runs `restante searches save`. */
export const saveSearchCommand: Action = printing(async ({ client, server }, { operands: [name = "", q = ""] }) => {
  await client.servers.saveSearch(server, { name, q });
});

/** Runs `restante searches remove`. */
export const removeSearchCommand: Action = printing(async ({ client, server }, { operands: [name = ""] }) =>
  client.servers.deleteSearch(server, name),
);

/** Runs `restante tag-rules show`: prints the settings as JSON. */
export const showTagRulesCommand: Action = printing(async ({ client, server }, call) => {
  printTagging(call, await client.marks.rules(server));
});

/** Runs `restante tag-rules set`: replaces the settings by those of a file, and prints them. */
export const setTagRulesCommand: Action = printing(async ({ client, server }, call) => {
  printTagging(call, await client.marks.putRules(server, readTagging(call.operands[0] ?? "")));
});

/** Runs `restante messages delete`: prints the number of deleted messages. */
export const deleteMessagesCommand: Action = printing(async ({ client, server }, { flags, operands: [q = ""] }) => {
  // The service validates it.
  const dir = (flags.get("dir") ?? "Received") as "Received";
  return [[String(await client.messages.deleteMatching(server, q, { dir }))]];
});

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

function printTagging(call: Call, tagging: Tagging): void {
  call.terminal.out(`${JSON.stringify(tagging, null, 2)}\n`);
}
