import { createReadStream, statSync } from "node:fs";
import { unobservedTasks } from "../../core/background-tasks.ts";
import { findSecretKey } from "../../app/secret-key.ts";
import type { ServerId } from "../../core/ids.ts";
import { importExport, type ImportTarget } from "../../transfer/import-lines.ts";
import { importEml, importMaildir, importMbox, type MailTarget } from "../../transfer/import-mail.ts";
import type { TransferResult } from "../../transfer/progress.ts";
import { createEmailReading } from "../../operations/services/reading/email-reader.ts";
import { createSecretBox } from "../../operations/services/security/secret-box.ts";
import type { Store } from "../../store/store.ts";
import { type Action, configOf, exitCodes, UsageError } from "../command.ts";
import { formatOf, openTarget, serversOf, streamName, transferSummary } from "./transfer-stores.ts";
import type { TransferFormat } from "./transfer-stores.ts";
import { ProgressBar } from "./progress-bar.ts";
import { recordCommand } from "../record-command.ts";
import { randomBytes } from "node:crypto";
import type { Config } from "../../app/settings/config.ts";
import {
  countForeignKeys,
  openNumberSecrets,
  countForeignPasswords,
} from "../../operations/services/security/stored-secrets.ts";

/** Returns a warning with the number of secrets that another secret key encrypted; "" when there are none. */
async function foreignSecretsWarning(
  store: Pick<Store, "phoneNumbers" | "listDevices" | "listKeys" | "listServers" | "getServerPassword">,
  config: Pick<Config, "dataDir" | "secretKey">,
): Promise<string> {
  const key = findSecretKey(config);
  // Without a key, no secret can be decrypted, as with a random one.
  const secrets = createSecretBox(key ?? randomBytes(32));
  const devices = await store.listDevices();
  const numbers = await store.phoneNumbers.listPhoneNumbers();
  const count =
    (await countForeignKeys(store, secrets)) +
    (await countForeignPasswords(store, secrets)) +
    devices.filter(({ id, sealedSecret }) => secrets.open(sealedSecret, id) === undefined).length +
    numbers.filter((number) => openNumberSecrets(secrets, number) === undefined).length;
  if (count === 0) return "";
  const subject =
    count === 1
      ? "1 key, server password, device or phone number was"
      : `${count} keys, server passwords, devices and phone numbers were`;
  return `${subject} encrypted or hashed with another secret key: start the service with the RESTANTE_SECRET_KEY of the original service, or with base64: followed by the content of its file secret-key.\n`;
}

const chunkBytes = 1024 * 1024;

/** Runs `restante import SOURCE`, into a data folder without a running service or into PostgreSQL. */
export const importCommand: Action = async (call) => {
  const { operands, flags, terminal } = call;
  const [path = ""] = operands;
  const format = formatOf(call);
  const servers = serversOf(call);
  const mailServer = format === "ndjson" ? null : onlyServer(format, servers);
  const config = configOf(call);
  const progress = new ProgressBar(terminal, flags.has("quiet"));
  if (path !== streamName) progress.expect(statSync(path).size);
  const store = await openTarget(config);
  const reading = createEmailReading({ limits: config.limits, clock: terminal.clock, tasks: unobservedTasks });
  try {
    const key = findSecretKey(config);
    const secrets = key === undefined ? null : createSecretBox(key);
    const { messageBytesMax: mailBytesMax } = config.limits;
    const ignoresQuotas = flags.has("ignore-quotas");
    const own = { store, secrets, readEmail: reading.read, progress, mailBytesMax, now: terminal.clock.now() };
    const result = await runImport(path, { format, servers, mailServer, ignoresQuotas, ...own });
    const isWhole = servers === null;
    const details = { format, servers: servers ?? [], messages: result.messages, isWhole, ignoresQuotas };
    await recordCommand({ config, terminal, store }, "store.import", { details });
    terminal.out(transferSummary("Imported", result, progress.end()));
    if (format === "ndjson") terminal.error(await foreignSecretsWarning(store, config));
    return exitCodes.done;
  } finally {
    progress.end();
    await reading.close();
    await store.close();
  }
};

interface ImportRequest extends ImportTarget, Pick<MailTarget, "mailBytesMax"> {
  readonly format: TransferFormat;
  /** Server of imported mailboxes; null for ndjson, which contains its servers. */
  readonly mailServer: ServerId | null;
}

async function runImport(
  path: string,
  { format, servers, mailServer, ...target }: ImportRequest,
): Promise<TransferResult> {
  if (mailServer !== null && format === "maildir") return await importMaildir(path, { ...target, server: mailServer });
  if (mailServer !== null && (format === "eml" || format === "zip")) {
    const kind = format === "eml" && statSync(path).isDirectory() ? "folder" : format;
    return await importEml(path, { ...target, server: mailServer }, kind);
  }
  const chunks = path === streamName ? process.stdin : createReadStream(path, { highWaterMark: chunkBytes });
  try {
    if (mailServer !== null) return await importMbox(chunks, { ...target, server: mailServer });
    return await importExport(chunks, { ...target, servers });
  } finally {
    chunks.destroy();
  }
}

function onlyServer(format: TransferFormat, servers: readonly ServerId[] | null): ServerId {
  const [only, ...others] = servers ?? [];
  if (only !== undefined && others.length === 0) return only;
  throw new UsageError(`${format} contains mail without a server: set the target with --server`);
}
