import type { DuplicateGroup } from "../../client/generated/types.ts";
import { exitCodes, type Action, type Call } from "../command.ts";
import { openServiceClient } from "./service-client.ts";

/** Flags with the names of the parameters. */
const parameters = [
  ["sent-to", "sentTo"],
  ["subject", "subject"],
  ["received-after", "receivedAfter"],
  ["messages", "messages"],
  ["within", "within"],
] as const;

/** Runs `restante duplicates`: prints groups of messages that were sent more than once; exits with 1 when there are any. */
export const duplicates: Action = async (call) => {
  const { client, server } = openServiceClient(call);
  const query = parameters.map(([flag, name]) => [name, call.flags.get(flag)] as const);
  const groups = await client.messages.duplicates(server, Object.fromEntries(query));
  if (call.flags.has("json")) call.terminal.out(`${JSON.stringify(groups, null, 2)}\n`);
  else for (const group of groups) printGroup(call, group);
  return groups.length > 0 ? exitCodes.failed : exitCodes.done;
};

function printGroup({ terminal }: Call, group: DuplicateGroup): void {
  const { count, type, subject, recipients, messages, differences } = group;
  const title = type === "SMS" ? "SMS" : `"${subject}"`;
  const lines = [
    `${String(count)} x ${title} to ${recipients.join(", ")}`,
    ...messages.map(({ id, received, delayMs }) => {
      return `  ${received} ${id}${delayMs === null ? "" : `, ${String(delayMs)} ms after the one before`}`;
    }),
    ...differences.map(({ field, values }) => `  ${field}: ${values.map((value) => value ?? "none").join(" | ")}`),
  ];
  // Control characters could contain terminal escape sequences.
  for (const line of lines) terminal.out(`${line.replaceAll(/\p{Cc}/gu, " ")}\n`);
}
