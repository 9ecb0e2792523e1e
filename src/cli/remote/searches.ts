/** Commands for tag rules, and for mails that are sent as they were received, over the API. */
import { suggestion } from "../../core/nearest-name.ts";
import type { Tagging } from "../../client/generated/types.ts";
import { type Action, type Call, exitCodes } from "../command.ts";
import { openService, printing, printLine, readJson } from "./service-client.ts";

/** Runs `restante tag-rules show`: prints the settings as JSON. */
export const showTagRulesCommand: Action = printing(async ({ client, server }, call) => {
  printTagging(call, await client.marks.rules(server));
});

/** Runs `restante tag-rules set`: replaces the settings by those of a file, and prints them. */
export const setTagRulesCommand: Action = printing(async ({ client, server }, call) => {
  printTagging(call, await client.marks.putRules(server, readTagging(call.operands[0] ?? "")));
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
