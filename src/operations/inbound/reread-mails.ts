/** Mails that could not be read when they arrived: marked when they are stored, read again later from their raw bytes. */
import type { MessageId } from "../../core/ids.ts";
import type { Companions } from "../../store/store.ts";
import type { Reread } from "../../store/reread-store.ts";
import { announce } from "../services/events/announce.ts";
import type { Context } from "../context.ts";
import type { EmailContent } from "../services/reading/email-content.ts";
import type { EmailReading } from "../services/reading/email-reader.ts";
import { recordEmail, type ReceivedMail } from "../services/reading/email-record.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";

/** Pauses in milliseconds before each attempt to read a mail again; after the last one it stays as it is. */
export const rereadPausesMs: readonly [number, ...number[]] = [60_000, 10 * 60_000, 2 * 3_600_000, 24 * 3_600_000];
/** Lease of one mail that is being read; longer than reading one may take. */
const leaseMs = 20 * 60_000;

/** What reading again depends on. */
export type RereadContext = Pick<Context, "store" | "clock" | "events"> & Pick<EmailReading, "reread">;

/** Outcome of reading one mail again. */
export interface RereadOutcome extends Reread {
  /** `gone`: deleted meanwhile. `postponed`: tried again later. `given_up`: it stays unread. */
  readonly outcome: "read" | "gone" | "postponed" | "given_up";
  /** Null unless reading failed. */
  readonly error: Error | null;
}

/** Companions of messages with this content: marks them to be read again if they could not be read. */
export function rereadMark(content: EmailContent, now: number): Pick<Companions, "rereadAt"> {
  return content.defects.includes("unreadable") ? { rereadAt: now + rereadPausesMs[0] } : {};
}

/**
 * Reads the mail again that is due first, replaces its summary, detail and search keys, and announces it to waiters and
 * streams like a new one. Answers undefined when none is due.
 */
export async function rereadNext(context: RereadContext): Promise<RereadOutcome | undefined> {
  const { store, clock } = context;
  const now = clock.now();
  const [due] = await store.rereads.claimRereads({ now, leasedUntil: now + leaseMs, countMax: 1 });
  if (due === undefined) return undefined;
  const mail = await findMail(context, due.message);
  if (mail === undefined) {
    await store.rereads.postponeReread(due.message, null);
    return { ...due, outcome: "gone", error: null };
  }
  let content: EmailContent;
  try {
    content = await context.reread(mail.raw);
  } catch (error) {
    const pauseMs = rereadPausesMs[due.attempts];
    await store.rereads.postponeReread(due.message, pauseMs === undefined ? null : clock.now() + pauseMs);
    return { ...due, outcome: pauseMs === undefined ? "given_up" : "postponed", error: toError(error) };
  }
  const record = recordEmail(due.message, mail, content);
  const sequence = await store.rereads.replaceMessage(record);
  if (sequence === undefined) return { ...due, outcome: "gone", error: null };
  announce(context, [record], [{ outcome: "stored", sequence }]);
  return { ...due, outcome: "read", error: null };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The mail with what its stored detail says about its arrival. */
async function findMail({ store }: RereadContext, id: MessageId): Promise<ReceivedMail | undefined> {
  const bytes = await store.getDetail(id);
  const raw = await store.getRaw(id);
  if (bytes === undefined || raw === undefined || raw.byteLength === 0) return undefined;
  const { message, session } = decodeDetail(bytes);
  const { mailFrom, rcptTo } = message.metadata;
  return { raw, session, envelope: { mailFrom, rcptTo: rcptTo.map(({ email }) => email ?? "") } };
}
