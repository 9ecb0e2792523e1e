import { build, orNull, type ValueOf } from "../../core/schema.ts";
import type { Principal } from "../../core/api-key.ts";
import type { FaultHit } from "../../core/fault.ts";
import { scanMsMax } from "../../core/limits.ts";
import { quarantineReason } from "../../core/quarantine.ts";
import type { ScheduledMessage } from "../../store/scheduled-message-store.ts";
import type { Context } from "../context.ts";
import { findEarlyScanners } from "../scanner/scan-before-arrival.ts";
import { openServer } from "../services/security/access.ts";
import { scheduledContent } from "./arriving-records.ts";

/** Recipients of a held message that are listed. */
export const recipientCountMax = 20;

/** Schema of a held message. */
export const heldSchema = build.object(
  {
    id: build.string({ description: "Id of its submission; as a message it gets another one." }),
    type: build.enum(["Email", "SMS"]),
    accepted: build.string({ format: "date-time", description: "Instant of acceptance, UTC." }),
    visibleAt: build.string({
      format: "date-time",
      description: "Instant at which it becomes visible, UTC; at the latest when its links are scanned before.",
    }),
    scanAt: orNull(
      build.string({
        format: "date-time",
        description: "Earliest start of the scan of its links, after which it becomes visible, UTC; null without one.",
      }),
    ),
    from: build.string({ description: "Envelope sender, or number." }),
    to: build.array(build.string(), { maxItems: recipientCountMax, description: "Envelope recipients." }),
    recipients: build.integer({ description: "Number of all recipients." }),
    sizeBytes: build.integer({ description: "Size of the raw mail; 0 for SMS." }),
    provider: orNull(build.string({ description: "Name of the provider; null for SMTP." })),
    faults: build.array(build.string(), { description: "Names of the fault rules that applied to it." }),
    error: orNull(build.string(), {
      description:
        "Reason for which it does not become visible until it is retried by hand; null unless it is quarantined.",
    }),
  },
  { $id: "HeldMessage" },
);

/** Held message as the API shows it. */
export type ShownHeld = ValueOf<typeof heldSchema>;

/** Returns a page of the held messages of a server, the next one first. Rejects with `not_found`. */
export async function listHeld(
  context: Context,
  principal: Principal,
  {
    server: idText,
    page,
    itemsPerPage,
  }: { readonly server: string; readonly page: number; readonly itemsPerPage: number },
): Promise<{ readonly held: readonly ShownHeld[]; readonly hasMore: boolean }> {
  const { id: server } = await openServer(context, principal, idText);
  const { messages, hasMore } = await context.store.scheduledMessages.listHeldMessages(server, page, itemsPerPage);
  const isScanned = (await findEarlyScanners(context.store, [server])).size > 0;
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
