/** Faults of requests to the APIs of providers. */
import type { ResolvedRecipient } from "../../core/smtp-session.ts";
import type { FaultDecision, FaultHit, FaultOutcome } from "../../core/fault.ts";
import type { ServerId } from "../../core/ids.ts";
import type { Faults } from "../services/faults.ts";

/** Message of a request, as fault rules match it. */
interface RequestMessage {
  /** Envelope sender, or the sender of an SMS; null for a request that sends nothing. */
  readonly sender: string | null;
  /** Recipients with servers; none for a request that sends nothing. */
  readonly recipients: readonly ResolvedRecipient[];
}

/** Faults of a message that is accepted. */
export interface MessageFaults {
  readonly hits: readonly FaultHit[];
  /** Time until the message becomes visible in a server, in milliseconds. */
  readonly late: ReadonlyMap<ServerId, number>;
}

/** Rejection of a request by a fault rule; the listener responds with the error, or closes the connection. */
export class InjectedFault extends Error {
  override readonly name: string = "InjectedFault";
  readonly outcome: Pick<FaultOutcome, "error" | "drop">;

  constructor(outcome: InjectedFault["outcome"]) {
    super("a fault rule applies to the request");
    this.outcome = outcome;
  }
}

/** Faults of the response to a request. */
interface ResponseFaults {
  /** Milliseconds before the response; 0 for none. */
  readonly delayMs: number;
  /** Whether the connection is closed instead of a response. */
  readonly losesReply: boolean;
  /** Null for no limit. */
  readonly bytesPerSecond: number | null;
}

/** Identity of a caller, as fault rules match it. */
interface FaultCaller {
  readonly provider: string;
  /** Server of a restricted key; null for an account. */
  readonly server: ServerId | null;
}

const noFaults: MessageFaults = { hits: [], late: new Map() };

/** Faults of one request: decides on its messages, and collects what applies to its response. */
export class RequestFaults {
  readonly #faults: Pick<Faults, "decide">;
  readonly #clientAddress: string;
  readonly #outcomes: FaultOutcome[] = [];
  readonly #isSend: boolean;
  #caller: FaultCaller | null = null;
  #isDecided = false;

  /** `isSend` for a request that changes objects before it sends a message; its faults are those of the message. */
  constructor(faults: Pick<Faults, "decide">, clientAddress: string, isSend = false) {
    this.#faults = faults;
    this.#clientAddress = clientAddress;
    this.#isSend = isSend;
  }

  /** Sets the caller, once it is authenticated. */
  open(caller: FaultCaller): void {
    this.#caller = caller;
  }

  /**
   * Decides on a request that has sent nothing, before its response; does nothing for one that was decided, or that was not
   * authenticated. Rejects as {@link decide}.
   */
  async decideCall(): Promise<void> {
    if (this.#isDecided || this.#caller === null) return;
    this.#isDecided = true;
    await this.#decideOne(this.#caller, { sender: null, recipients: [] });
  }

  /** Decides on a request that is about to change something, so that a rejected one changes nothing. */
  async beforeChange(): Promise<void> {
    if (!this.#isSend) await this.decideCall();
  }

  /**
   * Returns the faults of the messages, in their order. Rejects with {@link InjectedFault} when a rule rejects one, before any
   * of them is stored. Each message is an occurrence; with messages for several servers the whole request is one, so that
   * the rules of one server do not affect mail to another.
   */
  async decide(caller: FaultCaller, messages: readonly RequestMessage[]): Promise<readonly MessageFaults[]> {
    this.#isDecided = true;
    const recipients = messages.flatMap((message) => message.recipients);
    const isMixed = new Set(recipients.map(({ server }) => server)).size > 1;
    if (isMixed && messages.length > 1) {
      const faults = await this.#decideOne(caller, { sender: messages[0]?.sender ?? "", recipients });
      return messages.map(() => faults);
    }
    const faults: MessageFaults[] = [];
    for (const message of messages) faults.push(await this.#decideOne(caller, message));
    return faults;
  }

  /** Returns the faults of the response: the longest delay, the lowest rate. */
  get response(): ResponseFaults {
    const rates = this.#outcomes.flatMap(({ throttle }) => (throttle === undefined ? [] : [throttle]));
    return {
      delayMs: Math.max(0, ...this.#outcomes.map(({ delayMs = 0 }) => delayMs)),
      losesReply: this.#outcomes.some(({ loseReply }) => loseReply === true),
      bytesPerSecond: rates.length === 0 ? null : Math.min(...rates),
    };
  }

  async #decideOne({ provider, server }: FaultCaller, message: RequestMessage): Promise<MessageFaults> {
    const clientAddress = this.#clientAddress;
    const facts = { stage: "request", clientAddress, server, provider, userName: null } as const;
    const decision = await this.#faults.decide({ ...facts, ...message });
    if (decision === null) return noFaults;
    this.#apply(decision);
    return {
      hits: decision.hits,
      late: new Map(decision.late.map((one) => [one.server, one.deliverAfterMs])),
    };
  }

  #apply({ then }: FaultDecision): void {
    if (then === null) return;
    this.#outcomes.push(then);
    if (then.error !== undefined || then.drop === true) throw new InjectedFault(then);
  }
}
