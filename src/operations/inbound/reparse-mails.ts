/** Retries of parsing for mails that could not be parsed when they were received. */
import type { MessageId } from "../../core/ids.ts";
import { isWorkerDeath } from "../../core/worker-death.ts";
import type { InsertOptions } from "../../store/store.ts";
import type { Reparse } from "../../store/reparse-store.ts";
import { announce } from "../services/events/announce.ts";
import type { Context } from "../context.ts";
import type { EmailContent } from "../services/reading/email-content.ts";
import type { EmailReading } from "../services/reading/email-reader.ts";
import { recordEmail, type ReceivedMail } from "../services/reading/email-record.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";

/** Pauses in milliseconds before each retry. */
export const reparsePausesMs: readonly [number, ...number[]] = [60_000, 10 * 60_000, 2 * 3_600_000, 24 * 3_600_000];
/** Lease of a mail that is parsed again; longer than the time limit of parsing. */
const leaseMs = 20 * 60_000;

/** Dependencies of {@link reparseNext}. */
export type ReparseContext = Pick<Context, "store" | "clock" | "events"> & Pick<EmailReading, "reparse">;

/** Result of a retry. */
export interface ReparseOutcome extends Reparse {
  /** `gone`: deleted meanwhile. `postponed`: retried later. `given_up`: no further retry. */
  readonly outcome: "read" | "gone" | "postponed" | "given_up";
  /** Null unless parsing failed. */
  readonly error: Error | null;
}

/** Returns the companions that schedule a retry for unreadable content; none for other content. */
export function reparseMark(content: Pick<EmailContent, "defects">, now: number): Pick<InsertOptions, "reparseAt"> {
  return content.defects.includes("unreadable") ? { reparseAt: now + reparsePausesMs[0] } : {};
}

/**
 * Parses the next due mail again, replaces its summary, detail and search keys, and publishes it to waiters and streams
 * like a new one. Returns undefined when none is due.
 */
export async function reparseNext(context: ReparseContext): Promise<ReparseOutcome | undefined> {
  const { store, clock } = context;
  const now = clock.now();
  const [due] = await store.reparses.claimReparses({ now, leasedUntil: now + leaseMs, countMax: 1 });
  if (due === undefined) return undefined;
  const mail = await findMail(context, due.message);
  if (mail === undefined) {
    await store.reparses.postponeReparse(due.message, null);
    return { ...due, outcome: "gone", error: null };
  }
  let content: EmailContent;
  try {
    content = await context.reparse(mail.raw);
  } catch (error) {
    // The lease ends by itself, without an outcome: a mail that ends its worker again is quarantined.
    if (isWorkerDeath(error)) return { ...due, outcome: "postponed", error: toError(error) };
    const pauseMs = reparsePausesMs[due.attempts];
    await store.reparses.postponeReparse(due.message, pauseMs === undefined ? null : clock.now() + pauseMs);
    return { ...due, outcome: pauseMs === undefined ? "given_up" : "postponed", error: toError(error) };
  }
  const record = recordEmail(due.message, mail, content);
  const sequence = await store.reparses.replaceMessage(record);
  if (sequence === undefined) return { ...due, outcome: "gone", error: null };
  announce(context, [record], [{ outcome: "stored", sequence }]);
  return { ...due, outcome: "read", error: null };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
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
