import type { MessageId } from "./ids.ts";
import type { Direction } from "./message.ts";
import { build, byNumberToo, type ValueOf } from "./schema.ts";
import { searchedText } from "./text-schemas.ts";

/** Combination of criteria: a message must match all of them, or any one. */
export type Match = "ALL" | "ANY";

/** Role of an address in a message. */
export type AddressRole = "from" | "to";

/** Role of a label: a fact of the provider through which a message came. */
export type LabelRole = "provider" | "tag" | "providerId";

/** Role of an indexed key of a message. */
export type KeyRole = AddressRole | LabelRole;

/** Labels of a message; absent roles have none. */
export type LabelKeys = Readonly<Partial<Record<LabelRole, readonly string[]>>>;

/** Searchable text of a message. */
export type TextField = "subject" | "body";

/** Name of a criterion, as on the wire. */
export type CriterionName = "sentFrom" | "sentTo" | "subject" | "body" | LabelRole;

/** Target of one criterion: a whole address or label in a role, or a substring of a text. */
export type CriterionTarget =
  | { readonly kind: "address"; readonly role: AddressRole }
  | { readonly kind: "label"; readonly role: LabelRole }
  | { readonly kind: "text"; readonly field: TextField };

/**
 * Target of each criterion of a search. Everything that enumerates criteria derives from this table or is
 * keyed by its names, roles and fields, so that the compiler names each place that a new criterion concerns.
 *
 * - `sentFrom`: whole e-mail address or phone number of the sender (From field or envelope).
 * - `sentTo`: whole e-mail address or phone number of a recipient (to, cc, bcc or envelope).
 * - `subject`: substring of the subject.
 * - `body`: substring of the text part, the HTML source or the HTML's visible text.
 * - `providerId`, `tag`, `provider`: id, one of the tags, and name of `Message.provider`, exactly.
 */
export const criterionTargets: Readonly<Record<CriterionName, CriterionTarget>> = {
  sentFrom: { kind: "address", role: "from" },
  sentTo: { kind: "address", role: "to" },
  subject: { kind: "text", field: "subject" },
  body: { kind: "text", field: "body" },
  providerId: { kind: "label", role: "providerId" },
  tag: { kind: "label", role: "tag" },
  provider: { kind: "label", role: "provider" },
};

/** All names of criteria, in the order of {@link criterionTargets}. */
export const criterionNames: readonly CriterionName[] = Object.keys(criterionTargets) as CriterionName[];

/** All roles of labels. */
export const labelRoles: readonly LabelRole[] = ["providerId", "tag", "provider"];

/** Criteria of a search; absent ones do not count, and at least one is present. Values are as the caller gave them. */
export interface Criteria extends Readonly<Partial<Record<CriterionName, string>>> {
  readonly match: Match;
}

/** Members of {@link WireCriteria}, for bodies that contain criteria beside other members. */
export const criteriaProperties = {
  sentFrom: searchedText("Whole e-mail address or phone number of the sender."),
  sentTo: searchedText("Whole e-mail address or phone number of a recipient."),
  subject: searchedText("Part of the subject."),
  body: searchedText("Part of the text or of the HTML, source or visible."),
  providerId: searchedText("Whole id of the message in the response of a provider's API."),
  tag: searchedText("Whole tag that the message was given through a provider's API."),
  provider: searchedText("Name of the provider whose API the message was submitted through."),
  match: byNumberToo(
    build.enum(["ALL", "ANY"], { default: "ALL", description: "Whether all criteria must match, or any one." }),
  ),
};

/** Request body of a search. */
export const criteriaSchema = build.partial(criteriaProperties);

/** JSON of criteria; all must match unless `match` says otherwise. */
export type WireCriteria = ValueOf<typeof criteriaSchema>;

/** A whole address or label that must have a role in a message. */
export interface KeyCriterion {
  readonly role: KeyRole;
  readonly key: string;
}

/** Returns the names of the criteria that are present. */
export function givenCriteria(criteria: Criteria): readonly CriterionName[] {
  return criterionNames.filter((name) => criteria[name] !== undefined);
}

/** Returns a JSON value that is equal exactly for equivalent criteria. */
export function criteriaKey(criteria: Criteria): readonly (string | null)[] {
  return [criteria.match, ...criterionNames.map((name) => criteria[name] ?? null)];
}

/** One page of a list or of search results, newest first. */
export interface Page {
  /** 0-based. */
  readonly page: number;
  /** 1…1000. */
  readonly itemsPerPage: number;
  /** Only messages received strictly after this instant, milliseconds since the epoch with a fraction where given. */
  readonly receivedAfter: number | null;
  readonly direction: Direction;
  /** Only messages committed after this point of the server's sequence; null for no such bound. */
  readonly afterSequence: number | null;
  /** Only messages older than this one (smaller ids), whether it still exists or not; absent for no such bound. */
  readonly before?: MessageId;
}
