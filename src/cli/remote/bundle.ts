/** `restante bundle`: saves the bundle of a message, or of the newest messages in a server. */
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { exitCodes, UsageError, type Action, type Call } from "../command.ts";
import { openServiceClient, type ServiceClient } from "./service-client.ts";

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
