import type { Principal } from "../../core/api-key.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import type { MailReports } from "../../core/mail-reports.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import type { Context } from "../context.ts";
import { getRawMessage } from "../services/reading/get-message.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";
import { callerOf, openMessageId } from "../services/security/access.ts";

/** Messages that are compared with a Message-ID in each direction, and ids that are returned. */
const candidateCountMax = 20;
const idCountMax = 10;

/**
 * Returns the reports in a mail, always read in a worker process: a small mail may unpack to megabytes. The mail that they are
 * about is looked for by its Message-ID on the same server. Rejects with `not_found`, also for SMS, and as the inspector does.
 */
export async function getMailReports(context: Context, principal: Principal, idText: string): Promise<MailReports> {
  const id = openMessageId(principal, idText);
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  const caller = callerOf(principal, context);
  const reports = await context.inspector.inspect(load, { kind: "reports" }, caller);
  const messageId = reports.original?.messageId ?? null;
  if (reports.original === null || messageId === null) return reports;
  return { ...reports, original: { ...reports.original, ids: await findNamed(context, { id, messageId }, caller) } };
}

/** Returns the ids of the messages with a Message-ID on the server of a message, the newest first, sent ones before received ones. */
async function findNamed(
  { store }: Context,
  { id, messageId }: { readonly id: MessageId; readonly messageId: string },
  { key, signal }: WorkerCaller,
): Promise<readonly MessageId[]> {
  const named: MessageId[] = [];
  const expression = { kind: "part", part: "messageId", term: foldPart(messageId) } as const;
  const page = {
    page: 0,
    itemsPerPage: candidateCountMax,
    receivedAfter: null,
    afterSequence: null,
    caller: key,
    signal,
  };
  for (const direction of ["Sent", "Received"] as const) {
    const { identities } = await store.findMessages(decodeMessageId(id).server, expression, { ...page, direction });
    for (const { id: found } of identities) {
      if (found === id || named.length === idCountMax) continue;
      const detail = await store.getDetail(found);
      if (detail !== undefined && messageIdOf(detail) === bare(messageId)) named.push(found);
    }
  }
  return named;
}

function messageIdOf(detail: Uint8Array): string | null {
  const { headers } = decodeDetail(detail).message.metadata;
  const field = headers.find(({ field: name }) => name.toLowerCase() === "message-id");
  return field === undefined ? null : bare(field.value);
}

function bare(messageId: string): string {
  return messageId.trim().replace(/^<([^<>]*)>$/, "$1");
}
