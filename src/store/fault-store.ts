/** Contract of the store of fault rules, their counts and the triples of greylisting. */
import { isDeepStrictEqual } from "node:util";
import {
  stagesOf,
  type FaultDecision,
  type FaultHitRecord,
  type FaultOccurrence,
  type FaultRule,
  type FaultState,
} from "../core/fault.ts";
import { isSessionStage, serversOf, type FaultCandidate } from "../core/fault-engine.ts";
import type { ServerId } from "../core/ids.ts";
import { parseIpAddress } from "../core/ip-address.ts";

/** Rule with its counts. */
export interface StoredFault {
  readonly rule: FaultRule;
  readonly state: FaultState;
  /** Newest first, at most `faultHitCountMax`. */
  readonly lastHits: readonly FaultHitRecord[];
}

/** Fault rules of servers, and of the service (null). They are deleted with their server. */
export interface FaultStore {
  /** Returns the rules in their order; none when the server does not exist. */
  listFaults(server: ServerId | null): Promise<readonly StoredFault[]>;
  /**
   * Replaces all rules. When the promise resolves, the rules apply on every node. Rejects with `not_found` when the server
   * does not exist.
   */
  replaceFaults(server: ServerId | null, rules: readonly FaultRule[], change: FaultReplacement): Promise<void>;
  /**
   * Decides which rules apply to an occurrence, and stores their counts in the same transaction (see `core/fault-engine.ts`).
   * Returns null at once when no rule exists for the stage and the servers.
   */
  decideFault(occurrence: FaultOccurrence, now: number): Promise<FaultDecision | null> | null;
}

/** Time of a replacement of rules, and what becomes of their counts. */
export interface FaultReplacement {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /**
   * Whether a rule that was stored before with the same name and the same members, apart from `paused`, keeps its counts,
   * last hits, triples and age. False by default: all counts start at 0.
   */
  readonly keepsCounts?: boolean;
}

/** Rule that stays, with its places in the former list and in the new one. */
export interface KeptFault {
  readonly from: number;
  readonly to: number;
}

/** Returns the rules of a former list that a new one contains unchanged, apart from `paused`, in their new order. */
export function keptFaults(
  former: readonly { readonly position: number; readonly rule: FaultRule }[],
  rules: readonly FaultRule[],
): readonly KeptFault[] {
  const byName = new Map(former.map((one) => [one.rule.name, one]));
  return rules.flatMap((rule, to) => {
    const found = byName.get(rule.name);
    const isSame = isDeepStrictEqual({ ...found?.rule, paused: undefined }, { ...rule, paused: undefined });
    return found !== undefined && isSame ? [{ from: found.position, to }] : [];
  });
}

/** Columns by which rules are found without decoding them. */
export interface FaultKeys {
  /** Stages, each between commas. */
  readonly stages: string;
  /** Key of the one client address that the rule names; null for a network, or without one. */
  readonly clientAddress: string | null;
}

/** Returns the columns of a rule. */
export function faultKeys(rule: FaultRule): FaultKeys {
  const { clientAddress } = rule.match;
  const isOne = clientAddress !== undefined && !clientAddress.includes("/") && stagesOf(rule).some(isSessionStage);
  return { stages: `,${stagesOf(rule).join(",")},`, clientAddress: isOne ? clientAddressKey(clientAddress) : null };
}

/** Returns the same key for all forms of an IP address. */
export function clientAddressKey(address: string): string {
  return parseIpAddress(address)?.join(".") ?? address;
}

/** Selection of the rules that can apply to an occurrence. */
export interface FaultSelection {
  /** Servers that the occurrence concerns. */
  readonly servers: readonly ServerId[];
  /** LIKE pattern of {@link FaultKeys.stages}. */
  readonly stages: string;
  /** Key of the address by which rules of other servers apply; null after RCPT. */
  readonly clientAddress: string | null;
}

/** Returns the selection of the rules that can apply to an occurrence, besides those of the service. */
export function faultSelection(occurrence: FaultOccurrence): FaultSelection {
  const { stage, clientAddress } = occurrence;
  return {
    servers: serversOf(occurrence),
    stages: `%,${stage},%`,
    clientAddress: isSessionStage(stage) ? clientAddressKey(clientAddress) : null,
  };
}

/** Stored rule that may apply. */
export interface PositionedFault extends FaultCandidate {
  /** Place in the list of its server. */
  readonly position: number;
}

/** Returns candidates in the order in which they apply: of the given servers, of others, of the service. */
export function inOrderOfScope(
  candidates: readonly PositionedFault[],
  servers: readonly ServerId[],
): readonly PositionedFault[] {
  const places = new Map(servers.map((server, place) => [server, place]));
  const placeOf = ({ server }: PositionedFault): number =>
    server === null ? servers.length + 1 : (places.get(server) ?? servers.length);
  const compare = (one: PositionedFault, other: PositionedFault): number =>
    placeOf(one) - placeOf(other) ||
    (one.server ?? "").localeCompare(other.server ?? "") ||
    one.position - other.position;
  return candidates.toSorted(compare);
}
