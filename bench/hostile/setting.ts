/** Service under attack: one server for the attacker, one for a bystander, and a restricted key for each. */
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchKey, freePort, startService, type Program } from "../child.ts";
import { Conversation } from "../senders.ts";
import { realisticMail } from "../realistic-mail.ts";

/** Server of the attacker. */
export const attackerServer = "attacker";
/** Server of the bystander. */
export const bystanderServer = "bystandr";

/** Running service with both keys. */
export interface Setting {
  readonly service: Program;
  readonly attackerKey: string;
  readonly bystanderKey: string;
  readonly imapPort: number;
  readonly mailpitPort: number;
  /** Password of the attacker's server at SMTP and IMAP. */
  readonly smtpPassword: string;
  /** Folder of the control group that limits the memory of the service and its processes; null without one. */
  readonly group: string | null;
  readonly stop: () => Promise<void>;
}

/** Memory of the service and its processes. */
const memoryBytes = 1024 ** 3;

/** Creates a control group of 1 GiB, of cgroup v1 or v2; returns its folder, null where that is not allowed. */
function createGroup(): string | null {
  const candidates = [
    ["/sys/fs/cgroup/memory/restante-bench", "memory.limit_in_bytes"],
    ["/sys/fs/cgroup/restante-bench", "memory.max"],
  ] as const;
  for (const [folder, limit] of candidates) {
    try {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, limit), String(memoryBytes));
      return folder;
    } catch {
      // The other version of cgroup, or not root: the table says that the memory is not limited.
    }
  }
  return null;
}

/** Mails in the bystander's server. */
const bystanderMailCount = 200;

/** Starts the service and fills the bystander's server. */
export async function startSetting(settings: Readonly<Record<string, string>> = {}): Promise<Setting> {
  const group = createGroup();
  const [imapPort, mailpitPort] = [await freePort(), await freePort()];
  const service = await startService(
    "source",
    {
      RESTANTE_SERVERS: `${attackerServer}:Attacker,${bystanderServer}:Bystander`,
      RESTANTE_PROVIDER_KEYS: "any",
      RESTANTE_IMAP_PORT: String(imapPort),
      RESTANTE_MAILPIT_PORT: String(mailpitPort),
      ...settings,
    },
    group === null ? [] : ["sh", "-c", `echo $$ > ${group}/cgroup.procs && exec "$@"`, "sh"],
  );
  const account = { service, key: benchKey };
  const keyFor = async (server: string): Promise<string> => {
    const created = (await ask(account, `POST /api/keys`, { server, name: server })) as { key: string };
    return created.key;
  };
  const [attackerKey, bystanderKey] = [await keyFor(attackerServer), await keyFor(bystanderServer)];
  const { value } = (await ask(account, `GET /api/servers/${attackerServer}/password`)) as { value: string };
  for (let number = 0; number < bystanderMailCount; number += 1) {
    await deliver(service, bystanderServer, realisticMail("reader@app.example", number));
  }
  const stop = async (): Promise<void> => {
    await service.stop();
    if (group !== null) rmdirSync(group);
  };
  const ports = { imapPort, mailpitPort };
  return { service, attackerKey, bystanderKey, ...ports, smtpPassword: value, group, stop };
}

/** Sends one mail over its own connection; returns the milliseconds from DATA to the reply, and the reply. */
export async function deliver(
  service: Program,
  server: string,
  mail: Buffer,
): Promise<{ tookMs: number; reply: string }> {
  const conversation = await Conversation.open(service.smtpPort);
  const startedAt = performance.now();
  const reply = await conversation.send(`x@${server}.restante.test`, mail).then(
    () => "250",
    (error: unknown) => String(error),
  );
  const tookMs = performance.now() - startedAt;
  conversation.close();
  return { tookMs, reply };
}

/** Service and key of a request. */
export interface Caller {
  readonly service: Program;
  readonly key: string;
}

/** Sends a request such as `GET /api/servers`; returns the parsed body. Rejects unless the status is below 300. */
export async function ask({ service, key }: Caller, line: string, body?: unknown): Promise<unknown> {
  const [method = "GET", path = "/"] = line.split(" ");
  const response = await fetch(`http://127.0.0.1:${String(service.httpPort)}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${line}: ${String(response.status)} ${text.slice(0, 200)}`);
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}
