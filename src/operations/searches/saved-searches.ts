/** Saved searches of servers, by name. */
import type { Principal } from "../../core/api-key.ts";
import { invalidField, notFound, Problem } from "../../core/errors.ts";
import { build, type ValueOf } from "../../core/schema.ts";
import { searchedText } from "../../core/text-schemas.ts";
import { foldPart } from "../../core/search/search-fields.ts";
import type { StoredProviderObject } from "../../store/provider-object-store.ts";
import { openServer } from "../services/security/access.ts";
import { readQuery } from "../services/search/read-search.ts";
import type { Context } from "../context.ts";

const query = searchedText("Query of words and operators.");

/** Schema of a saved search. */
export const savedSearchSchema = build.object(
  { name: build.string("Name; those of a server differ in more than letter case."), q: query },
  { $id: "SavedSearch" },
);

/** Saved search. */
type SavedSearch = ValueOf<typeof savedSearchSchema>;

/** Request body that saves a search. */
export const savedSearchRequestSchema = build.partial({ q: query });

/** Searches of a server, and characters of a name. */
export const savedSearchCountMax = 100;
const nameLengthMax = 100;

const scopeOf = (server: string) => ({ provider: "restante", server, kind: "savedSearch" });

/** Returns the saved searches of a server, oldest first. Rejects with `not_found`. */
export async function listSavedSearches(
  context: Context,
  principal: Principal,
  serverText: string,
): Promise<readonly SavedSearch[]> {
  const { id: server } = await openServer(context, principal, serverText);
  const page = { offset: 0, limit: savedSearchCountMax, now: context.clock.now() };
  return (await context.store.providerObjects.listObjects({ ...scopeOf(server), server }, page)).map(toSearch);
}

/**
 * Creates or replaces the search with a name; returns it. Rejects with `not_found`, with a 400 that names `name` or `q`, and
 * with `limit_reached` when the server has `savedSearchCountMax`.
 */
export async function putSavedSearch(
  context: Context,
  principal: Principal,
  { server: serverText, name: nameText, q }: SavedSearch & { readonly server: string },
): Promise<SavedSearch> {
  const { store, clock } = context;
  const { id: server } = await openServer(context, principal, serverText);
  const name = nameText.trim();
  if (name === "" || name.length > nameLengthMax || /\p{Cc}/u.test(name)) {
    throw invalidField("name", `Must have 1 to ${nameLengthMax} characters, without control characters`);
  }
  if (readQuery(context, q).terms.length === 0) throw invalidField("q", "Give at least one term", "required");
  const search: SavedSearch = { name, q };
  const key = { ...scopeOf(server), server, id: foldPart(name) };
  const value = { json: JSON.stringify(search), expiresAt: null, version: null, now: clock.now() };
  await store.providerObjects.putObject({ ...key, ...value, countMax: savedSearchCountMax }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== "limit_reached") throw error;
    throw new Problem("limit_reached", { text: `The server has ${savedSearchCountMax} saved searches; delete one` });
  });
  return search;
}

/** Deletes the search with a name. Rejects with `not_found`. */
export async function deleteSavedSearch(
  context: Context,
  principal: Principal,
  { server: serverText, name }: { readonly server: string; readonly name: string },
): Promise<void> {
  const { id: server } = await openServer(context, principal, serverText);
  const key = { ...scopeOf(server), server, id: foldPart(name) };
  if (!(await context.store.providerObjects.removeObject(key, context.clock.now()))) throw notFound("Saved search");
}

function toSearch({ json }: StoredProviderObject): SavedSearch {
  return JSON.parse(json) as SavedSearch;
}
