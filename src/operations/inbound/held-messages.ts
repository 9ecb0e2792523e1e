/** Held messages: accepted and durable, and invisible until an instant or their release. */
import { Problem } from "../../core/errors.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";
import { type ScheduledContent, scheduleLimits, scheduledContent } from "./arriving-records.ts";
import { type ValueOf, build, orNull } from "../../core/schema.ts";
import type { Principal } from "../../core/api-key.ts";
import type { FaultHit } from "../../core/fault.ts";
import { scanMsMax } from "../../core/limits.ts";
import { quarantineReason } from "../../core/quarantine.ts";
import type { ScheduledMessage } from "../../store/scheduled-message-store.ts";
import { findEarlyScanners, type HoldDelays, unlessTooMany } from "../scanner/scan-before-arrival.ts";
import { openServer } from "../services/security/access.ts";

/** Message to hold in one server. */
interface MessageToHold {
  readonly server: ServerId;
  /** Milliseconds from its acceptance until it becomes visible. */
  readonly delayMs: number;
  /** Returns the message with this UUID. */
  readonly compose: (uuid: MessageId) => HeldContent | Promise<HeldContent>;
}

/** Content of a message to hold. */
export interface HeldContent {
  readonly content: ScheduledContent;
  /** Raw mail; empty for an SMS. */
  readonly raw: Uint8Array;
}

/**
 * Holds an accepted message. Resolves after the commit with the UUID of its submission; as a message it has another id,
 * because that contains the instant at which it becomes visible. From then on it arrives exactly once, unless its server is
 * emptied or deleted before. Rejects with `recipient_unknown` when the server does not exist, with `quota_exceeded` when it
 * is full, and with `limit_reached` when it has more than 10,000 scheduled and held messages or 2 GiB of them.
 */
export async function holdMessage(
  { store, clock, ids, quotas }: Context,
  { server, delayMs, compose }: MessageToHold,
): Promise<MessageId> {
  for (;;) {
    const { id } = ids.next(server, "Received");
    const { content, raw } = await compose(id);
    const acceptedAt = clock.now();
    const message = { id, sendAt: acceptedAt + delayMs, acceptedAt, json: JSON.stringify(content), raw };
    const added = store.scheduledMessages.addScheduledMessages([message], scheduleLimits);
    const isStored = await added.catch((error: unknown) => {
      if (error instanceof Problem && error.code === "quota_exceeded") quotas.suspect([server]);
      throw error;
    });
    if (isStored) return id;
  }
}

/** Copy of a mail to hold in one server. */
interface CopyToHold extends Omit<MessageToHold, "compose"> {
  /** As of {@link MessageToHold}; `isFirst` while no other copy is held. */
  readonly compose: (uuid: MessageId, isFirst: boolean) => HeldContent | Promise<HeldContent>;
}

/** Copies of a mail that are held. */
export interface HeldCopies {
  /** UUIDs of their submissions, in order. */
  readonly held: readonly MessageId[];
  /** Servers that hold too many messages; see {@link unlessTooMany}. */
  readonly unheld: ReadonlySet<ServerId>;
}

/** Holds the copies of a mail, all or none; leaves out servers that do not exist. Rejects as {@link holdMessage}. */
export async function holdCopies(
  context: Context,
  copies: readonly CopyToHold[],
  delays: HoldDelays,
): Promise<HeldCopies> {
  const held: MessageId[] = [];
  const unheld = new Set<ServerId>();
  try {
    for (const { compose, ...place } of copies) {
      const message = { ...place, compose: (uuid: MessageId) => compose(uuid, held.length === 0) };
      const id = await unlessTooMany(holdMessage(context, message).catch(passOverUnknown), delays, place.server);
      if (id === null) unheld.add(place.server);
      else if (id !== undefined) held.push(id);
    }
  } catch (error) {
    await context.store.scheduledMessages.withdrawHeldMessages(held);
    throw error;
  }
  return { held, unheld };
}

function passOverUnknown(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== "recipient_unknown") throw error;
}

/** Recipients of a held message that are listed. */
const recipientCountMax = 20;

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
type ShownHeld = ValueOf<typeof heldSchema>;

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
