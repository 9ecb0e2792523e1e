import type { Principal } from "../../core/api-key.ts";
import type { Change } from "../../core/change.ts";
import { Problem } from "../../core/errors.ts";
import type { ServerId } from "../../core/ids.ts";
import { openServer } from "../services/security/access.ts";
import { createWakeSignal, onAbort, type WakeSignal } from "../services/events/wake-signal.ts";
import type { Context } from "../context.ts";
import { watchKeyValidity } from "../services/security/key-validity.ts";
import { retryWhileUnavailable, type RetryContext } from "../services/events/retry-unavailable.ts";

/** Which changes, and until when. */
export interface StreamRequest {
  readonly server: string;
  /** Changes after this one; null for those from now on. */
  readonly afterSequence: number | null;
  /** Aborts when the caller has gone. */
  readonly gone: AbortSignal;
  /** Whether the caller's key or session still opens the server. */
  readonly isOpen: () => Promise<boolean>;
}

/** A stream of changes that is ready to be read. */
export interface ChangeStream {
  readonly server: ServerId;
  /** The last change before the stream begins. */
  readonly startsAfter: number;
  /** Null now and then while nothing happens, so that the reader can show that it is still there. */
  readonly changes: AsyncGenerator<Change | null, void>;
}

type Dependencies = Pick<
  Context,
  "store" | "clock" | "events" | "closing" | "revocations" | "timings" | "eventStreams"
>;

const readCountMax = 500;
const silenceMsMax = 15_000;

/**
 * Every change of a server, in order, without gap or repeat, as it happens: events only say that there is something to
 * read. Ends when the caller goes, when the service closes, when the server goes or its changes are no longer remembered,
 * and before it tells anything to a caller whose key or session has ended: at once where that happens in this process,
 * within {@link silenceMsMax} where it does on another node. Rejects with `not_found`, and with `gone` when the store no
 * longer remembers all that came after `afterSequence`.
 */
export async function streamChanges(
  context: Dependencies,
  principal: Principal,
  request: StreamRequest,
): Promise<ChangeStream> {
  const server = await openServer(context, principal, request.server);
  const startsAfter = request.afterSequence ?? (await lastSequence(context, server.id));
  const remembered = await context.store.listChanges(server.id, startsAfter, 1);
  if (remembered === undefined) {
    throw new Problem("gone", { text: "The changes after that point are not remembered; start without one" });
  }
  return {
    server: server.id,
    startsAfter,
    changes: readChanges(context, server.id, { ...request, startsAfter, principal }),
  };
}

async function* readChanges(
  context: Dependencies,
  server: ServerId,
  from: { startsAfter: number; principal: Principal } & Pick<StreamRequest, "gone" | "isOpen">,
): AsyncGenerator<Change | null, void> {
  const alarm = createWakeSignal();
  const endings = [
    context.events.subscribe(server, alarm.ring),
    onAbort(from.gone, alarm.end),
    onAbort(context.closing, alarm.end),
  ];
  // Another node may have ended the key, the session or the server: nobody tells, so each look begins with these.
  const isOpen = async (): Promise<boolean> => (await from.isOpen()) && context.store.hasServer(server);
  const stream = context.eventStreams.opened();
  let last = from.startsAfter;
  let isNoted = false;
  let isSilent = false;
  try {
    do {
      if (!(await retryWhileUnavailable(isOpen, { ...context, alarm, stream }))) return;
      const reached = yield* readBacklog({ ...context, alarm, stream }, server, last);
      if (reached === undefined) return;
      last = reached;
      stream.succeeded();
      if (!isNoted) context.events.noteSeen(server, last);
      isNoted = true;
      if (isSilent) yield null;
      isSilent = false;
    } while (await ringsWithin(context, { alarm, principal: from.principal }, () => (isSilent = true)));
  } catch (error) {
    stream.failed(error);
    throw error;
  } finally {
    for (const cancel of endings) cancel();
    stream.closed();
  }
}

/** Waits for the alarm, and rings it itself after a silence; false at its end. */
async function ringsWithin(
  context: Pick<Context, "clock" | "revocations">,
  { alarm, principal }: { readonly alarm: WakeSignal; readonly principal: Principal },
  noteSilence: () => void,
): Promise<boolean> {
  const unwatch = watchKeyValidity(context, principal, { ring: alarm.ring, withinMs: silenceMsMax });
  const cancel = context.clock.after(silenceMsMax, () => {
    noteSilence();
    alarm.ring();
  });
  const rang = await alarm.next();
  cancel();
  unwatch();
  return rang;
}

/** All changes there are after a point, and the last one's number; undefined where the store has forgotten some. */
async function* readBacklog(
  { store, timings, ...waiting }: Pick<Context, "store" | "timings"> & RetryContext,
  server: ServerId,
  after: number,
): AsyncGenerator<Change, number | undefined> {
  for (let last = after; ;) {
    const from = last;
    const changes = await retryWhileUnavailable(() => store.listChanges(server, from, readCountMax), waiting);
    if (changes === undefined) return undefined;
    for (const change of changes) {
      yield change;
      last = change.sequence;
      timings.told(server, last);
    }
    if (changes.length < readCountMax) return last;
  }
}

async function lastSequence(context: Dependencies, server: ServerId): Promise<number> {
  const page = { page: 0, itemsPerPage: 1, receivedAfter: null, direction: "Received", afterSequence: null } as const;
  return (await context.store.listMessages(server, page)).cursor;
}
