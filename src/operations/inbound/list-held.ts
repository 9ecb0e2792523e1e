import type { Principal } from "../../core/api-key.ts";
import type { FaultHit } from "../../core/fault.ts";
import type { MessageId } from "../../core/ids.ts";
import { scanMsMax } from "../../core/limits.ts";
import type { MessageType } from "../../core/message.ts";
import { quarantineReason } from "../../core/quarantine.ts";
import type { ScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { Context } from "../context.ts";
import { findEarlyScanners } from "../scanner/scan-before-arrival.ts";
import { openServer } from "../services/security/access.ts";
import { scheduledContent } from "./arriving-records.ts";

/** Held message as the API shows it. */
export interface ShownHeld {
  /** UUID of its submission; as a message it gets another id. */
  readonly id: MessageId;
  readonly type: MessageType;
  /** ISO 8601: instant of acceptance. */
  readonly accepted: string;
  /** ISO 8601: instant at which it becomes visible; at the latest when it is scanned before. */
  readonly visibleAt: string;
  /** ISO 8601: earliest start of the scan of its links, after which it becomes visible; null without one. */
  readonly scanAt: string | null;
  /** Envelope sender, or number. */
  readonly from: string;
  /** First recipients, at most {@link recipientCountMax}. */
  readonly to: readonly string[];
  readonly recipients: number;
  readonly sizeBytes: number;
  /** Name of the provider; null for SMTP. */
  readonly provider: string | null;
  /** Names of the fault rules that applied to it. */
  readonly faults: readonly string[];
  /** Reason for which it does not become visible until it is retried by hand; null unless it is quarantined. */
  readonly error: string | null;
}

/** Recipients of a held message that are listed. */
export const recipientCountMax = 20;

/** Returns a page of the held messages of a server, the next one first. Rejects with `not_found`. */
export async function listHeld(
  context: Pick<Context, "store">,
  principal: Principal,
  {
    server: idText,
    page,
    itemsPerPage,
  }: { readonly server: string; readonly page: number; readonly itemsPerPage: number },
): Promise<{ readonly held: readonly ShownHeld[]; readonly hasMore: boolean }> {
  const { id: server } = await openServer(context, principal, idText);
  const { messages, hasMore } = await context.store.scheduledMessages.listHeldMessages(server, page, itemsPerPage);
  const isScanned = (await findEarlyScanners(context, [server])).size > 0;
  const isOwn = (hit: FaultHit): boolean => hit.server === null || hit.server === server;
  return { held: messages.map((one) => show(one, { isOwn, isScanned })), hasMore };
}

interface HeldFacts {
  readonly isOwn: (hit: FaultHit) => boolean;
  /** Whether mails of the server are scanned before they become visible. */
  readonly isScanned: boolean;
}

/** Longest time from the start of a scan to visibility in milliseconds: it may wait for as long as it takes. */
const scanWaitMsMax = 2 * scanMsMax;

function show(message: ScheduledMessage, { isOwn, isScanned }: HeldFacts): ShownHeld {
  const { id, sendAt, acceptedAt, rawBytes, quarantinedAt } = message;
  const content = scheduledContent(message);
  const isSms = "sms" in content;
  const { origin, faults = [] } = isSms ? content.sms : content;
  const recipients = isSms ? [content.sms.to] : content.copies.flatMap((copy) => copy.recipients);
  return {
    id,
    type: isSms ? "SMS" : "Email",
    accepted: new Date(acceptedAt ?? 0).toISOString(),
    ...visibilityOf(sendAt, isScanned && !isSms),
    from: isSms ? content.sms.from : content.mailFrom,
    to: recipients.slice(0, recipientCountMax),
    recipients: recipients.length,
    sizeBytes: rawBytes,
    provider: origin?.name ?? null,
    faults: faults.filter(isOwn).map(({ rule }) => rule),
    error: quarantinedAt === null ? null : quarantineReason,
  };
}

function visibilityOf(sendAt: number, isScanned: boolean): Pick<ShownHeld, "visibleAt" | "scanAt"> {
  const due = new Date(sendAt).toISOString();
  if (!isScanned) return { visibleAt: due, scanAt: null };
  return { visibleAt: new Date(sendAt + scanWaitMsMax).toISOString(), scanAt: due };
}
