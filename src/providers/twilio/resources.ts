/** Resources that Verify and Content keep, and their lists. */
import { randomBytes } from "node:crypto";
import { countOf } from "../formats/form.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { Collection } from "../kit/objects.ts";
import { jsonResponse, type ProviderRequest } from "../provider.ts";
import { resourceNotFound } from "./errors.ts";

/** JSON of a resource. */
export type Resource = Readonly<Record<string, unknown>>;

/** Kind of resources. */
interface ResourceKind<Value> {
  /** Kind of the stored objects. */
  readonly kind: string;
  /** Name of the list in its response, and of the path parameter with the SID. */
  readonly key: "services" | "contents";
  readonly param: "service" | "content";
  /** Start of the paths, at whose end the SID stands. */
  readonly path: `/v${number}/${string}`;
  /** Most resources of a page; null: pages always have {@link pageSizeDefault}. */
  readonly pageSizeMax: number | null;
  /** Returns the JSON of a resource; `url` is its own. */
  readonly resource: (value: Value, url: string) => Resource;
}

const pageSizeDefault = 50;

/** Resources of one kind. */
export class Resources<Value extends { readonly sid: string }> {
  readonly #kind: ResourceKind<Value>;

  constructor(kind: ResourceKind<Value>) {
    this.#kind = kind;
  }

  /** Opens the resources of a caller. */
  of({ session }: Pick<Call, "session">): Collection<Value> {
    return new Collection(session, this.#kind.kind);
  }

  /** Returns the resource of the path. Throws the error of one that does not exist. */
  async open(call: Call): Promise<Value> {
    return this.of(call).open(this.#sidOf(call), resourceNotFound);
  }

  /** Stores a resource, and returns it as a response. */
  async put(call: Call, value: Value, status: 200 | 201): Promise<ReturnType<typeof jsonResponse>> {
    await this.of(call).put(value.sid, value);
    return jsonResponse(status, this.#resource(call, value));
  }

  /** Lists the resources in the order of their creation. */
  readonly list: Handler = async (call) => {
    const { key, pageSizeMax } = this.#kind;
    const { fields } = call.request;
    const pageSize =
      pageSizeMax === null
        ? pageSizeDefault
        : Math.min(pageSizeMax, Math.max(1, countOf(fields, "PageSize", pageSizeDefault)));
    const page = countOf(fields, "Page", 0);
    const found = await this.of(call).page(page * pageSize);
    const urlOf = (number: number): string => `${this.#base(call)}?PageSize=${pageSize}&Page=${number}`;
    const meta = {
      page,
      page_size: pageSize,
      first_page_url: urlOf(0),
      previous_page_url: page === 0 ? null : urlOf(page - 1),
      url: urlOf(page),
      next_page_url: found.length > pageSize ? urlOf(page + 1) : null,
      key,
    };
    return jsonResponse(200, { meta, [key]: found.slice(0, pageSize).map(({ value }) => this.#resource(call, value)) });
  };

  /** Returns a resource. */
  readonly get: Handler = async (call) => jsonResponse(200, this.#resource(call, await this.open(call)));

  /** Deletes a resource. */
  readonly remove: Handler = async (call) => {
    if (!(await this.of(call).remove(this.#sidOf(call)))) throw resourceNotFound();
    return { status: 204, body: null };
  };

  #sidOf({ request }: Call): string {
    return request.params[this.#kind.param] ?? "";
  }

  #base({ request }: Call): string {
    return urlUpTo(request, this.#kind.path);
  }

  #resource(call: Call, value: Value): Resource {
    return this.#kind.resource(value, `${this.#base(call)}/${value.sid}`);
  }
}

/** Returns the URL of a request, as the caller knows it, up to the end of the start of its path. */
export function urlUpTo({ url }: Pick<ProviderRequest, "url">, path: string): string {
  const at = url.indexOf(path);
  return at === -1 ? "" : url.slice(0, at + path.length);
}

/** Returns a random SID: two letters and 32 hex digits. */
export function newSid(prefix: "HX" | "VA" | "VE" | "VL"): string {
  return prefix + randomBytes(16).toString("hex");
}

/** Returns `2026-11-20T10:42:07Z` for milliseconds since the Unix epoch. */
export function isoSeconds(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

const unknownAccount = `AC${"0".repeat(32)}`;

/** Returns the account SID that is the user name of the request; one of zeros when it is the SID of an API key. */
export function accountSidOf({ headers }: Pick<ProviderRequest, "headers">): string {
  const credentials = /^basic +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const user = Buffer.from(credentials, "base64").toString("utf8").split(":", 1)[0] ?? "";
  return /^AC[0-9a-f]{32}$/i.test(user) ? user : unknownAccount;
}
