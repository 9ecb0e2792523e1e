import type { Clock } from "../../core/clock.ts";
import type { ServerId } from "../../core/ids.ts";

/** Time without a command after which another session may take over a maildrop. */
export const lockIdleMsMax = 60_000;

/** Lock of a maildrop by one session. */
export interface MaildropLock {
  /** Records a command of the session. */
  touch(): void;
  release(): void;
}

interface Holder {
  lastCommandAt: number;
  readonly evict: () => void;
}

/**
 * Exclusive locks of maildrops in this process (RFC 1939 section 4). A lock expires when its session has sent no command for
 * {@link lockIdleMsMax} and another one wants it, so that a client that was killed blocks nobody for long.
 */
export class MaildropLocks {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #holders = new Map<ServerId, Holder>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Locks a maildrop; undefined while another session uses it. `evict` is called when the lock is taken over. */
  acquire(server: ServerId, evict: () => void): MaildropLock | undefined {
    const now = this.#clock.monotonicMs();
    const present = this.#holders.get(server);
    if (present !== undefined && now - present.lastCommandAt <= lockIdleMsMax) return undefined;
    const holder: Holder = { lastCommandAt: now, evict };
    this.#holders.set(server, holder);
    present?.evict();
    return {
      touch: () => {
        holder.lastCommandAt = this.#clock.monotonicMs();
      },
      release: () => {
        if (this.#holders.get(server) === holder) this.#holders.delete(server);
      },
    };
  }
}
