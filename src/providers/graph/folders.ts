/** Users, whose mailboxes are servers, and their mail folders: those that every mailbox has, and own ones, which are tags. */
import { readTag } from "../../core/marks.ts";
import { and, not } from "../../core/search/search-expression.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { uuidOfHash } from "../formats/uuid.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { changeEach } from "../kit/mailbox-pages.ts";
import { collectionOf } from "../kit/objects.ts";
import type { ProviderMailbox } from "../mailbox.ts";
import { noContent } from "../provider.ts";
import { rejection } from "./errors.ts";
import { folderFilter, folderIdOf, folderNameOf, folderTagPrefix, wellKnownFolders } from "./folder-tags.ts";
import { openMailbox } from "./ids.ts";
import { readMembers } from "./request.ts";
import { collection, json } from "./response.ts";

/** Own folders of a caller, whose ids are those of the objects. */
const foldersOf = collectionOf<{ readonly name: string }>("folder");

const wellKnownNames: readonly string[] = Object.values(wellKnownFolders);

/** Returns the display name of a folder by its id or well-known name; rejects without one. */
export async function openFolderName(call: Pick<Call, "session">, id: string): Promise<string> {
  const name = folderNameOf(id);
  const isKnown =
    name !== undefined && (wellKnownNames.includes(name) || (await foldersOf(call).find(id)) !== undefined);
  if (!isKnown) throw rejection("ErrorItemNotFound");
  return name;
}

/** Lists the folders: `GET /mailFolders`. */
export const listFolders: Handler = async (call) => {
  const mailbox = await openMailbox(call);
  const own = (await foldersOf(call).all()).map(({ name }) => name);
  const resources: JsonObject[] = [];
  for (const name of [...wellKnownNames, ...own]) resources.push(await folderResource(mailbox, name));
  return collection(call, resources);
};

/** Returns a folder: `GET /mailFolders/:folder`. */
export const getFolder: Handler = async (call) => {
  const mailbox = await openMailbox(call);
  const name = await openFolderName(call, call.request.params["folder"] ?? "");
  return json(call, 200, await folderResource(mailbox, name));
};

/** Creates a folder: `POST /mailFolders`. */
export const createFolder: Handler = async (call) => {
  const mailbox = await openMailbox(call);
  const given = readMembers(call.request).text("displayName") ?? "";
  const tag = folderTagPrefix + given;
  const isUsable = given !== "" && given.trim() === given && readTag(tag) === tag;
  const id = folderIdOf(given);
  if (!isUsable || id.length > idLengthMax) throw rejection("ErrorInvalidParameter", "The display name is invalid.");
  if (wellKnownNames.includes(given) || !(await foldersOf(call).create(id, { name: given }))) {
    throw rejection("ErrorFolderExists");
  }
  return json(call, 201, await folderResource(mailbox, given));
};

/** Longest id of an object. */
const idLengthMax = 200;

/** Removes an own folder; its messages move to Deleted Items: `DELETE /mailFolders/:folder`. */
export const deleteFolder: Handler = async (call) => {
  const mailbox = await openMailbox(call);
  const id = call.request.params["folder"] ?? "";
  const name = await openFolderName(call, id);
  if (wellKnownNames.includes(name)) throw rejection("ErrorAccessDenied", "Distinguished folders cannot be deleted.");
  const change = { addFlags: ["deleted"], removeTags: [folderTagPrefix + name] } as const;
  await changeEach(mailbox, folderFilter(name), async (ids) => mailbox.mark(ids, change));
  await foldersOf(call).remove(id);
  return noContent;
};

async function folderResource(mailbox: ProviderMailbox, name: string): Promise<JsonObject> {
  const filter = folderFilter(name);
  const unread = not({ kind: "flag", flag: "seen" });
  return {
    id: folderIdOf(name),
    displayName: name,
    parentFolderId: "msgfolderroot",
    childFolderCount: 0,
    unreadItemCount: await mailbox.count({ ...filter, expression: and(filter.expression, unread) }),
    totalItemCount: await mailbox.count(filter),
    sizeInBytes: 0,
    isHidden: false,
  };
}

/** Returns the user of a mailbox: `GET /me` and `GET /users/:user`. */
export const getUser: Handler = async (call) => {
  const { address } = await openMailbox(call);
  const displayName = address.slice(0, address.lastIndexOf("@"));
  const id = uuidOfHash(address);
  const names = { displayName, givenName: null, surname: null };
  return json(call, 200, { id, ...names, mail: address, userPrincipalName: address });
};
