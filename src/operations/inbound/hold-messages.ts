/** Held messages: accepted and durable, and invisible until an instant or their release. */
import { Problem } from "../../core/errors.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Context } from "../context.ts";
import { type ScheduledContent, scheduleLimits } from "./arriving-records.ts";

/** Message to hold in one server. */
export interface MessageToHold {
  readonly server: ServerId;
  /** Instant at which it becomes visible, in milliseconds since the Unix epoch. */
  readonly until: number;
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
  { server, until, compose }: MessageToHold,
): Promise<MessageId> {
  for (;;) {
    const { id } = ids.next(server, "Received");
    const { content, raw } = await compose(id);
    const message = { id, sendAt: until, acceptedAt: clock.now(), json: JSON.stringify(content), raw };
    const added = store.scheduledMessages.addScheduledMessages([message], scheduleLimits);
    const isStored = await added.catch((error: unknown) => {
      if (error instanceof Problem && error.code === "quota_exceeded") quotas.suspect([server]);
      throw error;
    });
    if (isStored) return id;
  }
}

/** Returns undefined for the error of a server that does not exist; rethrows any other. */
export function passOverUnknown(error: unknown): undefined {
  if (!(error instanceof Problem) || error.code !== "recipient_unknown") throw error;
}
