/** Labels: flags, tags and the direction of mails, by Gmail's names. */
import { type MarkChange, type MessageFlag, tagIdentity } from "../../core/marks.ts";
import type { Direction } from "../../core/message.ts";
import { and, evaluate, not, or, type SearchExpression } from "../../core/search/search-expression.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import { Collection } from "../kit/objects.ts";
import type { MailboxMessage, ProviderMailbox } from "../mailbox.ts";
import type { ProviderSession } from "../provider.ts";
import { invalidArgument } from "./errors.ts";

/** Settings of a label of the user. Its name is the tag of the mails. */
export interface LabelSettings {
  readonly name: string;
  readonly messageListVisibility?: string;
  readonly labelListVisibility?: string;
  readonly color?: unknown;
}

/** Label of the user. */
export interface UserLabel extends LabelSettings {
  readonly id: string;
}

/** Tag of received mails that are not in the inbox; it is no label. */
export const archiveTag = "ARCHIVE";
/** Tag that mails have which were sent and arrived in the mailbox of their sender. */
export const sentTag = "SENT";

const categories = ["PERSONAL", "SOCIAL", "PROMOTIONS", "UPDATES", "FORUMS"].map((name) => `CATEGORY_${name}`);
/** System labels that are tags. */
const systemTags: readonly string[] = ["SPAM", "IMPORTANT", "CHAT", ...categories];
/** System labels, in the order of Gmail's list. */
export const systemLabels: readonly string[] = ["CHAT", "SENT", "INBOX", "IMPORTANT", "TRASH", "DRAFT", "SPAM"].concat(
  categories,
  ["STARRED", "UNREAD"],
);

const tagged = (tag: string): SearchExpression => ({ kind: "tag", tag: foldPart(tag) });
const flagged = (flag: MessageFlag): SearchExpression => ({ kind: "flag", flag });
const everywhere = (condition: SearchExpression): Condition => ({ Received: condition, Sent: condition });

/** Condition of a label on the mails of a direction. */
type Condition = Readonly<Record<Direction, SearchExpression>>;

/** Conditions of system labels. */
const conditions: Readonly<Record<string, Condition>> = {
  ...Object.fromEntries(systemTags.map((tag) => [tag, everywhere(tagged(tag))])),
  UNREAD: everywhere(not(flagged("seen"))),
  STARRED: everywhere(flagged("flagged")),
  DRAFT: everywhere(flagged("draft")),
  TRASH: everywhere(flagged("deleted")),
  INBOX: {
    Received: not(or(tagged(archiveTag), tagged("SPAM"), flagged("deleted"), flagged("draft"))),
    Sent: or(),
  },
  SENT: { Received: tagged(sentTag), Sent: not(flagged("draft")) },
};

/** Change that adds a system label; the opposite one removes it. */
const changes: ReadonlyMap<string, LabelChange> = new Map<string, LabelChange>([
  ...systemTags.map((tag) => [tag, ["addTags", tag]] as const),
  ["UNREAD", ["removeFlags", "seen"]],
  ["STARRED", ["addFlags", "flagged"]],
  ["TRASH", ["addFlags", "deleted"]],
  ["INBOX", ["removeTags", archiveTag]],
]);

type LabelChange = readonly [member: ChangeMember, mark: string];
type ChangeMember = `${"add" | "remove"}${"Tags" | "Flags"}`;

function oppositeOf([member, mark]: LabelChange): LabelChange {
  const kind = member.replace(/^(?:add|remove)/, "");
  return [`${member.startsWith("add") ? "remove" : "add"}${kind}` as ChangeMember, mark];
}

/** Mails that lists leave out unless they are asked for. */
export const spamAndTrash: SearchExpression = or(flagged("deleted"), tagged("SPAM"));

/** Labels of a mailbox. */
export class Labels {
  readonly collection: Collection<LabelSettings>;
  /** Labels of the user, in the order of their creation; then other tags by name. */
  readonly user: readonly UserLabel[];

  private constructor(collection: Collection<LabelSettings>, user: readonly UserLabel[]) {
    this.collection = collection;
    this.user = user;
  }

  /** Reads the labels of a mailbox: those that were created, and the tags of its mails. */
  static async open(session: ProviderSession, mailbox: Pick<ProviderMailbox, "listTags">): Promise<Labels> {
    const collection = new Collection<LabelSettings>(session, "label");
    const created = (await collection.objects()).map(({ id, value }) => ({ id, ...value }));
    const known = new Set([...created.map(({ name }) => name), ...systemTags, archiveTag, sentTag].map(tagIdentity));
    const others = (await mailbox.listTags()).filter((tag) => !known.has(tagIdentity(tag)));
    return new Labels(collection, [...created, ...others.map((name) => ({ id: idOfTag(name), name }))]);
  }

  /** Returns whether there is a label with an id. */
  has(id: string): boolean {
    return systemLabels.includes(id) || this.user.some((one) => one.id === id);
  }

  /** Returns the label of the user with an id or name; undefined without one. */
  find(idOrName: string): UserLabel | undefined {
    const wanted = tagIdentity(idOrName);
    return this.user.find(({ id, name }) => id === idOrName || tagIdentity(name) === wanted);
  }

  /** Returns the label ids of a mail, in the order of {@link systemLabels}. */
  idsOf({ marks, direction, message }: Pick<MailboxMessage, "marks" | "direction" | "message">): readonly string[] {
    const isSent = message.provider?.tags.includes(sentTag) === true && !marks.flags.includes("draft");
    const tags = new Set(marks.tags.map(tagIdentity));
    const hasTag = (name: string): boolean => tags.has(tagIdentity(name));
    const system = systemLabels.filter((id) => {
      if (id === "SENT" && direction === "Received") return isSent;
      return evaluate(conditions[id]?.[direction] ?? or(), (term) => {
        if (term.kind === "flag") return marks.flags.includes(term.flag);
        return term.kind === "tag" ? hasTag(term.tag) : null;
      });
    });
    return [...system, ...this.user.filter(({ name }) => hasTag(name)).map(({ id }) => id)];
  }

  /** Returns the condition of a label in a direction, by its id, or its name where a query has it. */
  condition(label: string, direction: Direction): SearchExpression {
    const system = label.toUpperCase().replace(/^DRAFTS$/, "DRAFT");
    const known = Object.hasOwn(conditions, system) ? conditions[system] : undefined;
    if (known !== undefined) return known[direction];
    if (system === archiveTag) return and(not(conditions["INBOX"]?.[direction] ?? or()), not(spamAndTrash));
    const own = this.find(label);
    // Queries write labels without blanks and slashes.
    const spellings = this.user.filter(({ name }) => tagIdentity(name.replaceAll(/[ /]/g, "-")) === tagIdentity(label));
    return or(...(own === undefined ? spellings : [own]).map(({ name }) => tagged(name)));
  }

  /** Returns the change of marks that adds and removes labels; throws for an unknown one, and for one that cannot be changed. */
  changeOf(added: readonly string[], removed: readonly string[]): MarkChange {
    const all = [...added.map((id) => this.#changeOf(id)), ...removed.map((id) => oppositeOf(this.#changeOf(id)))];
    const marks = Map.groupBy(all, ([member]) => member);
    return Object.fromEntries([...marks].map(([member, some]) => [member, some.map(([, mark]) => mark)]));
  }

  #changeOf(id: string): LabelChange {
    const system = changes.get(id);
    if (system !== undefined) return system;
    const own = this.user.find((one) => one.id === id);
    if (own === undefined) throw invalidArgument(`Invalid label: ${id.slice(0, 100)}`);
    return ["addTags", own.name];
  }
}

/** Returns the id of a tag that no request has created as a label. */
function idOfTag(tag: string): string {
  return `Label_${Buffer.from(tag).toString("base64url")}`;
}
