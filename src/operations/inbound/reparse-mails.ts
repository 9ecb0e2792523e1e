/** Retries of parsing for mails that could not be parsed when they were received. */
import type { MessageId } from "../../core/ids.ts";
import { attemptEach } from "../../queue/attempt-each.ts";
import { Lane } from "../../queue/lane.ts";
import type { QueueDefinition } from "../../queue/queue-definition.ts";
import type { WorkOutcome } from "../../store/leased-queue.ts";
import type { InsertOptions } from "../../store/store.ts";
import type { Reparse } from "../../store/reparse-store.ts";
import { announce } from "../services/events/announce.ts";
import type { Context } from "../context.ts";
import type { EmailContent } from "../services/reading/email-bodies.ts";
import type { EmailReading } from "../services/reading/email-reader.ts";
import { type ReceivedMail, recordEmail } from "../services/reading/email-record.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";

/** Pauses in milliseconds before each retry. */
export const reparsePausesMs: readonly [number, ...number[]] = [60_000, 10 * 60_000, 2 * 3_600_000, 24 * 3_600_000];

/** Dependencies of {@link reparseQueue}. */
export type ReparseContext = Pick<Context, "store" | "clock" | "events"> & Pick<EmailReading, "reparse">;

/** Result of a retry. */
export interface ReparseResult extends Reparse {
  /** `gone`: deleted meanwhile. `postponed`: retried later. `given_up`: no further retry. */
  readonly outcome: "read" | "gone" | "postponed" | "given_up";
  /** Null unless parsing failed. */
  readonly error: unknown;
}

/** Returns the companions that schedule a retry for unreadable content; none for other content. */
export function reparseMark(content: Pick<EmailContent, "defects">, now: number): Pick<InsertOptions, "reparseAt"> {
  return content.defects.includes("unreadable") ? { reparseAt: now + reparsePausesMs[0] } : {};
}

/** Returns the definition of the queue of mails that are parsed again, one at a time. */
export function reparseQueue(
  context: ReparseContext,
  onEnded: (result: ReparseResult) => void,
): QueueDefinition<Reparse, WorkOutcome, object, Lane<Reparse>> {
  const [, ...pausesMs] = reparsePausesMs;
  return {
    queue: context.store.reparses.queue,
    name: "reparse",
    degrades: "some mails are shown without subject, text and attachments",
    limits: { runningCountMax: 1, sleepMsMax: 15_000 },
    pausesMsMax: reparsePausesMs,
    openLane: (key) => new Lane(key, 1),
    attempt: attemptEach(
      {
        clock: context.clock,
        pausesMs,
        onFailed: (due, { error, isDropped }) => {
          onEnded({ ...due, outcome: isDropped ? "given_up" : "postponed", error });
        },
      },
      async (due) => {
        const isRead = await reparseMail(context, due.id);
        onEnded({ ...due, outcome: isRead ? "read" : "gone", error: null });
        return isRead ? "recorded" : null;
      },
    ),
  };
}

/**
 * Parses a mail again, replaces its summary, detail and search keys, and publishes it to waiters and streams like a new one.
 * Returns false when it was deleted.
 */
async function reparseMail(context: ReparseContext, id: MessageId): Promise<boolean> {
  const mail = await findMail(context, id);
  if (mail === undefined) return false;
  const record = recordEmail(id, mail, await context.reparse(mail.raw));
  const sequence = await context.store.reparses.replaceMessage(record);
  if (sequence === undefined) return false;
  announce(context, [record], [{ outcome: "stored", sequence }]);
  return true;
}

/** Loads the mail with its envelope and session. */
async function findMail({ store }: ReparseContext, id: MessageId): Promise<ReceivedMail | undefined> {
  const bytes = await store.getDetail(id);
  const raw = await store.getRaw(id);
  if (bytes === undefined || raw === undefined || raw.byteLength === 0) return undefined;
  const { message, session, submittedAs, transcript } = decodeDetail(bytes);
  const { metadata, provider } = message;
  const { mailFrom, rcptTo } = metadata;
  const faults = metadata.faults?.map((one) => ({ ...one, server: null }));
  const envelope = { mailFrom, rcptTo: rcptTo.map(({ email }) => email ?? "") };
  const optional = {
    ...(provider && { provider }),
    ...(faults && { faults }),
    ...(metadata.accepted !== undefined && { acceptedAt: Date.parse(metadata.accepted) }),
    ...(submittedAs && { submittedAs }),
    ...(transcript && { transcript }),
  };
  return { raw, session, envelope, ...optional };
}
