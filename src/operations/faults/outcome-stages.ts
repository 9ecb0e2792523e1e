/** Stages at which members of fault rules make sense. */
import { faultStages, type FaultMatch, type FaultOutcome, type FaultStage } from "../../core/fault.ts";

const smtp = faultStages.filter((stage) => stage !== "request");
const withSender: readonly FaultStage[] = ["mail", "rcpt", "data", "after-data", "request"];
const withRecipient: readonly FaultStage[] = ["rcpt", "data", "after-data", "request"];

/** Stages at which what a member of `match` compares is known. */
export const stagesOfMatch: Readonly<Record<Exclude<keyof FaultMatch, "stage">, readonly FaultStage[]>> = {
  sender: withSender,
  recipient: withRecipient,
  clientAddress: faultStages,
  provider: ["request"],
  userName: ["auth", "mail", "rcpt", "data", "after-data"],
};

/** Stages at which a member of `then` can take effect. */
export const stagesOfOutcome: Readonly<Record<keyof FaultOutcome, readonly FaultStage[]>> = {
  reply: smtp,
  error: ["request"],
  drop: faultStages,
  loseReply: ["after-data", "request"],
  tls: ["connect", "starttls"],
  greylist: ["rcpt"],
  delayMs: faultStages,
  throttle: ["data", "request"],
  deliverAfterMs: withRecipient,
};

/** Members of `then` of which a rule has at most one. */
export const mainOutcomes = ["reply", "error", "drop", "loseReply", "tls", "greylist"] as const;

/** Main members of `then` with which the mail is stored, so that it can be delivered later. */
export const storingOutcomes: ReadonlySet<string> = new Set<keyof FaultOutcome>(["loseReply"]);
