import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { DuplicateGroup } from "../../client/generated/types.ts";
import { type Action, type Call, exitCodes, UsageError } from "../command.ts";
import { openServiceClient, type ServiceClient } from "./service-client.ts";

// `restante bundle`: saves the bundle of a message, or of the newest messages in a server.

/** Runs `restante bundle`: writes the archive to a new file and prints the name of the file. */
export const bundle: Action = async (call) => {
  const service = openServiceClient(call);
  const file = call.flags.get("out") ?? nameOf(call.flags.get("message") ?? service.server);
  const { body } = await open(call, service);
  await save((body ?? []) as AsyncIterable<Uint8Array>, file);
  call.terminal.out(`${file}\n`);
  return exitCodes.done;
};

async function open({ flags }: Call, { transport, server }: ServiceClient): Promise<Response> {
  const [message, since] = [flags.get("message"), flags.get("since")];
  if (message === undefined) return transport.open("getServerBundle", { path: { id: server }, query: { since } });
  if (since !== undefined) throw new UsageError("--since selects messages of a server");
  return transport.open("getMessageBundle", { path: { id: message } });
}

/** Returns the default name of the file: an id that names no other folder. */
function nameOf(id: string): string {
  return `bundle-${id.replaceAll(/[^\w-]/g, "_")}.zip`;
}

/** Writes a new file; removes it when the archive is incomplete. */
async function save(content: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const target = createWriteStream(file, { flags: "wx", mode: 0o600 });
  try {
    await pipeline(content, target);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new Error(`The file ${file} already exists; choose another name with --out`, { cause: error });
    }
    await rm(file, { force: true });
    throw error;
  }
}

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
