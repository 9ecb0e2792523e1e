/** Partial responses: https://developers.google.com/workspace/gmail/api/guides/performance#partial */
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, readJsonObject } from "../formats/json-body.ts";
import { jsonResponse, type ProviderEndpoint, type ProviderResponse } from "../provider.ts";
import { invalidArgument } from "./errors.ts";

/** Members that a response has, with those of their values; null for whole values. */
interface Selection extends ReadonlyMap<string, Selection | null> {}

/** Returns the endpoints with the parameter `fields`, which selects members of successful responses. */
export function withFields(rows: readonly ProviderEndpoint[]): readonly ProviderEndpoint[] {
  return rows.map((row) => ({
    ...row,
    handle: async (request, services) => {
      const text = fieldOf(request.fields, "fields");
      const response = await row.handle(request, services);
      return text === undefined || response.status >= 300 ? response : selected(response, text);
    },
  }));
}

function selected(response: ProviderResponse, text: string): ProviderResponse {
  if (response.body?.text === undefined) return response;
  const selection = readSelection(text);
  if (selection === undefined) return invalidArgument(`Invalid field selection ${text.slice(0, 100)}`).respond(nowhere);
  return { ...response, ...jsonResponse(response.status, select(readJsonObject(response.body.text), selection)) };
}

const nowhere = { method: "GET", path: "", headers: {} } as const;
const depthMax = 10;

/** Reads a selection such as `messages(id,payload/headers),nextPageToken`; undefined for an invalid one. */
function readSelection(text: string): Selection | undefined {
  const tokens = text.match(/[\w*]+|\S/g) ?? [];
  let at = 0;
  const take = (token: string): boolean => {
    const isNext = tokens[at] === token;
    if (isNext) at += 1;
    return isNext;
  };
  const readList = (depth: number): Selection | undefined => {
    const found = new Map<string, Selection | null>();
    do {
      const one = readOne(depth);
      if (one === undefined) return undefined;
      found.set(...one);
    } while (take(","));
    return found;
  };
  // A member with what is selected within it: a path or a group.
  const readOne = (depth: number): [name: string, within: Selection | null] | undefined => {
    const name = tokens[at] ?? "";
    if (!/^[\w*]+$/.test(name) || depth > depthMax) return undefined;
    at += 1;
    if (take("/")) {
      const rest = readOne(depth + 1);
      return rest && [name, new Map([rest])];
    }
    if (!take("(")) return [name, null];
    const group = readList(depth + 1);
    return group !== undefined && take(")") ? [name, group] : undefined;
  };
  const selection = readList(0);
  return at === tokens.length ? selection : undefined;
}

function select(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((one) => select(one, selection));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const within = selection.get(selection.has(name) ? name : "*");
    if (within === undefined) return [];
    return [[name, within === null ? member : select(member, within)] as const];
  });
  return Object.fromEntries(members);
}
