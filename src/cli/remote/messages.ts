import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { DuplicateGroup } from "../../client/generated/types.ts";
import { type Action, type Call, exitCodes, toJson, UsageError } from "../command.ts";
import { printing, type Service } from "./service-client.ts";

/** Runs `restante bundle`: writes the archive of a message, or of the newest ones, to a new file and prints its name. */
export const bundle: Action = printing(async (service, call) => {
  const file = call.flags.get("out") ?? nameOf(call.flags.get("message") ?? service.server);
  const { body } = await open(call, service);
  await save((body ?? []) as AsyncIterable<Uint8Array>, file);
  return `${file}\n`;
});

async function open({ flags }: Call, { transport, server }: Service): Promise<Response> {
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
export const duplicates: Action = printing(async ({ client, server }, { flags }) => {
  const query = parameters.map(([flag, name]) => [name, flags.get(flag)] as const);
  const groups = await client.messages.duplicates(server, Object.fromEntries(query));
  return {
    printed: flags.has("json") ? toJson(groups) : groups.flatMap(linesOf).map((line) => [line]),
    exitCode: groups.length > 0 ? exitCodes.failed : exitCodes.done,
  };
});

function linesOf(group: DuplicateGroup): readonly string[] {
  const { count, type, subject, recipients, messages, differences } = group;
  const title = type === "SMS" ? "SMS" : `"${subject}"`;
  return [
    `${String(count)} x ${title} to ${recipients.join(", ")}`,
    ...messages.map(({ id, received, delayMs }) => {
      return `  ${received} ${id}${delayMs === null ? "" : `, ${String(delayMs)} ms after the one before`}`;
    }),
    ...differences.map(({ field, values }) => `  ${field}: ${values.map((value) => value ?? "none").join(" | ")}`),
  ];
}
