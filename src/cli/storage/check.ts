import type { Config } from "../../app/settings/config.ts";
import { unobservedTasks } from "../../core/background-tasks.ts";
import type { Page } from "../../core/criteria.ts";
import { Problem } from "../../core/errors.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import type { Server } from "../../core/server.ts";
import { createEmailReading } from "../../operations/services/reading/email-reader.ts";
import { rebuildMessage } from "../../operations/services/reading/restore-message.ts";
import type { CheckReport, DamagedMessage } from "../../store/sqlite/backup/check.ts";
import { checkFolder, FolderRepair } from "../../store/sqlite/backup/repair.ts";
import type { Store } from "../../store/store.ts";
import { type Action, type Call, configOf, exitCodes, type Terminal } from "../command.ts";
import { recordCommand } from "../record-command.ts";
import { openTarget } from "./transfer-stores.ts";

/** Exit codes of `restante check`: no damage, or all repaired; remaining damage; the check failed. */
const checkCodes = { intact: 0, damaged: 1, failed: 2 } as const;

/**
 * Runs `restante check`: verifies all stored data; with `--repair`, rebuilds damaged messages from their raw mail. With
 * `--language`, checks instead whether requests of a runtime arrive.
 */
export const check: Action = async (call) => {
  const language = call.flags.get("language");
  if (language !== undefined) {
    return (await import("../environment/check-language.ts")).checkLanguage(call, language);
  }
  try {
    const config = configOf(call);
    if (config.databaseUrl !== null) return await checkDatabaseOf(call, config);
    const report = checkFolder(config.dataDir, () => undefined);
    tell(call.terminal, report);
    if (report.messages.length === 0 && report.structure.length === 0) return exitCodes.done;
    return call.flags.has("repair") ? await repair(call.terminal, config, report) : checkCodes.damaged;
  } catch (error) {
    call.terminal.error(`restante: ${error instanceof Error ? error.message : String(error)}\n`);
    return checkCodes.failed;
  }
};

async function checkDatabaseOf({ flags, terminal }: Call, config: Config): Promise<number> {
  if (flags.has("repair")) {
    throw new Error("--repair works on data folders only; restore a PostgreSQL database from its backup");
  }
  const { messageCount, findings } = await checkShared(config);
  for (const finding of findings) terminal.out(`${finding}\n`);
  terminal.out(`${messageCount} messages checked, ${findings.length} problems found\n`);
  return findings.length === 0 ? checkCodes.intact : checkCodes.damaged;
}

function tell(terminal: Terminal, { messageCount, structure, messages }: CheckReport): void {
  for (const line of structure) terminal.out(`${line}\n`);
  for (const { id, problems } of messages) terminal.out(`message ${id}: ${problems.join("; ")}\n`);
  terminal.out(`${messageCount} messages checked, ${structure.length + messages.length} problems found\n`);
}

/** Rebuilds the damaged messages of the data folder in `config`, and reports what remains; resolves with the exit code. */
export async function repair(terminal: Terminal, config: Config, report: CheckReport): Promise<number> {
  {
    using folder = FolderRepair.open(config.dataDir);
    const reading = createEmailReading({ limits: config.limits, clock: terminal.clock, tasks: unobservedTasks });
    try {
      for (const damaged of report.messages) await repairOne(damaged, { folder, terminal, readEmail: reading.read });
    } finally {
      await reading.close();
    }
    folder.tidy();
  }
  await recordCommand({ config, terminal }, "store.repair", { details: { messages: report.messages.length } });
  const after = checkFolder(config.dataDir, () => undefined);
  terminal.out("After the repair:\n");
  tell(terminal, after);
  return after.messages.length + after.structure.length === 0 ? checkCodes.intact : checkCodes.damaged;
}

async function repairOne(
  damaged: DamagedMessage,
  tools: {
    readonly folder: FolderRepair;
    readonly terminal: Terminal;
    readonly readEmail: Parameters<typeof rebuildMessage>[2];
  },
): Promise<void> {
  const { folder, terminal, readEmail } = tools;
  const { id, intact, addresses } = damaged;
  const message = await rebuildMessage(id, { ...intact, recipients: addresses?.[1] ?? [] }, readEmail);
  if (message === undefined) {
    terminal.out(`message ${id}: cannot be repaired; its remains were moved to ${folder.setAside(damaged)}.*\n`);
    return;
  }
  folder.replace(damaged, message);
  terminal.out(`message ${id}: rebuilt from ${intact.detail === null ? "its raw mail" : "its detail and raw mail"}\n`);
}

const itemsPerPage = 1000;

/** Result of checking a PostgreSQL database. */
export interface SharedReport {
  readonly messageCount: number;
  readonly findings: readonly string[];
}

/** Reads every message of a PostgreSQL database while its nodes run; PostgreSQL itself checks its pages. */
export async function checkShared(config: Config): Promise<SharedReport> {
  const store = await openTarget(config);
  const findings: string[] = [];
  let messageCount = 0;
  try {
    for (const server of await store.listServers()) {
      for await (const id of idsOf(store, server)) {
        messageCount += 1;
        findings.push(...(await findingsOf(store, id)));
      }
    }
    return { messageCount, findings };
  } finally {
    await store.close();
  }
}

async function* idsOf(store: Store, server: Server): AsyncGenerator<MessageId> {
  for (const direction of ["Received", "Sent"] as const) yield* idsIn(store, server, direction);
}

async function* idsIn(store: Store, server: Server, direction: Direction): AsyncGenerator<MessageId> {
  for (let page = 0, hasMore = true; hasMore; page += 1) {
    const result = await listIds(store, server.id, { page, itemsPerPage, direction });
    yield* result.ids;
    ({ hasMore } = result);
  }
}

/** Returns the ids of a page of the messages of a server, newest first. */
export async function listIds(
  store: Pick<Store, "listMessages">,
  server: ServerId,
  page: Pick<Page, "page" | "itemsPerPage" | "direction">,
): Promise<{ readonly ids: readonly MessageId[]; readonly hasMore: boolean }> {
  const { json, hasMore } = await store.listMessages(server, { ...page, receivedAfter: null, afterSequence: null });
  const summaries = JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as { readonly id: MessageId }[];
  return { ids: summaries.map(({ id }) => id), hasMore };
}

async function findingsOf(store: Store, id: MessageId): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const [part, read] of [
    ["detail", () => store.getDetail(id)],
    ["raw", () => store.getRaw(id)],
  ] as const) {
    try {
      if ((await read()) === undefined && (await isStored(store, id))) {
        findings.push(`message ${id}: a chunk of its ${part} is missing`);
      }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "data_damaged") throw error;
      findings.push(`message ${id}: checksum mismatch in its ${part}`);
    }
  }
  return findings;
}

/** Whether the message still exists; it may have been deleted during the check. */
async function isStored(store: Store, id: MessageId): Promise<boolean> {
  const [sizeBytes = 0] = await store.measureMessages(decodeMessageId(id).server, [id]);
  return sizeBytes > 0;
}
