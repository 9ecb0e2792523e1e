import { tagIdentity } from "../../core/marks.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import { changeMarks, readMarks } from "../change-mailbox.ts";
import { findMessages } from "../mailbox.ts";
import { catcherRoutes, type CatcherCall, type CatcherRoute } from "../catcher.ts";
import { badRequest, readObject } from "../read-json.ts";
import { tagNames } from "./list-messages.ts";
import { json, ok } from "./shapes.ts";

const path = "/api/v1/tags";

/** Routes below `/api/v1/tags`. */
export const tagRoutes: readonly CatcherRoute[] = [
  ...catcherRoutes("read", { [`GET ${path}`]: async (call) => json(await tagNames(call)) }),
  ...catcherRoutes("manage", {
    // Replaces the tags of messages.
    [`PUT ${path}`]: async (call) => {
      const body = await readObject(call, call.context.limits.jsonBodyBytesMax);
      await changeMarks(call, body.texts("IDs"), { removeTags: "all", addTags: cleanTags(body.texts("Tags")) });
      return ok;
    },
    [`PUT ${path}/:tag`]: async (call) => {
      const name = cleanTag((await readObject(call, call.context.limits.jsonBodyBytesMax)).text("Name"));
      const { tag = "" } = call.params;
      if (name === "") throw badRequest("invalid tag name: ");
      if (tag === name) return ok;
      const present = await requireSpellings(call, tag);
      const isOther = tagIdentity(tag) !== tagIdentity(name);
      if (isOther && (await spellingsOf(call, name)).length > 0) throw badRequest(`tag already exists: ${name}`);
      await replaceTag(call, present, [name]);
      await call.record("tag.rename", { target: call.server });
      return ok;
    },
    [`DELETE ${path}/:tag`]: async (call) => {
      await replaceTag(call, await requireSpellings(call, call.params["tag"] ?? ""), []);
      await call.record("tag.remove", { target: call.server });
      return ok;
    },
  }),
];

const tagLengthMax = 100;

/** Returns tags in the form that Mailpit stores, without empty ones. */
export function cleanTags(tags: readonly string[]): readonly string[] {
  return tags.map(cleanTag).filter((tag) => tag !== "");
}

/** Returns a tag without the characters that Mailpit does not allow. */
function cleanTag(text: string): string {
  const tag = text.replaceAll(/[^a-zA-Z0-9\-_.@]+/g, " ").trim();
  return tag.slice(0, tagLengthMax);
}

/** Returns the spellings of a tag in the server; none when no message has it. */
async function spellingsOf(call: CatcherCall, name: string): Promise<readonly string[]> {
  const identity = tagIdentity(name);
  return (await tagNames(call)).filter((tag) => tagIdentity(tag) === identity);
}

/** Returns the spellings of a tag in the server. Throws a 400 when no message has it. */
async function requireSpellings(call: CatcherCall, name: string): Promise<readonly string[]> {
  const spellings = await spellingsOf(call, name);
  if (spellings.length === 0) throw badRequest(`tag not found: ${name}`);
  return spellings;
}

/** Replaces a tag of all messages by others. Tags that a provider gave stay. */
async function replaceTag(call: CatcherCall, tags: readonly string[], addTags: readonly string[]): Promise<void> {
  const identities = new Set(tags.map(tagIdentity));
  for (const tag of tags) {
    for await (const ids of findMessages(call, { kind: "tag", tag: foldPart(tag) })) {
      const marked = await readMarks(call, ids);
      const own = marked.filter(({ marks }) => marks.tags.some((one) => identities.has(tagIdentity(one))));
      await changeMarks(
        call,
        own.map(({ id }) => id),
        { removeTags: tags, addTags },
      );
    }
  }
}
