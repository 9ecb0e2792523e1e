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
  const reader = new SelectionReader(text.match(/[\w*]+|\S/g) ?? []);
  const selection = reader.readList(0);
  return reader.isAtEnd ? selection : undefined;
}

class SelectionReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  readList(depth: number): Selection | undefined {
    const found = new Map<string, Selection | null>();
    do {
      const one = this.#readOne(depth);
      if (one === undefined) return undefined;
      found.set(...one);
    } while (this.#take(","));
    return found;
  }

  /** Reads a member with what is selected within it: a path or a group. */
  #readOne(depth: number): [name: string, within: Selection | null] | undefined {
    const name = this.#tokens[this.#at];
    if (name === undefined || !/^[\w*]+$/.test(name) || depth > depthMax) return undefined;
    this.#at += 1;
    if (this.#take("/")) {
      const rest = this.#readOne(depth + 1);
      return rest && [name, new Map([rest])];
    }
    if (!this.#take("(")) return [name, null];
    const group = this.readList(depth + 1);
    return group !== undefined && this.#take(")") ? [name, group] : undefined;
  }

  #take(token: string): boolean {
    const isNext = this.#tokens[this.#at] === token;
    if (isNext) this.#at += 1;
    return isNext;
  }
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
