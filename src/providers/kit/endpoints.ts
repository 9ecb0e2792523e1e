/** Tables of endpoints, one row each. The table authenticates the caller, and responds to rejections. */
import { jsonResponse, type ProviderEndpoint, type ProviderMethod, type ProviderRequest } from "../provider.ts";
import type { ProviderResponse, ProviderServices, ProviderSession } from "../provider.ts";
import { reasonOf } from "./errors.ts";
import { Rejection } from "./rejection.ts";

/** Call of an endpoint that authenticates the caller itself, or needs no caller. */
export interface OpenCall {
  readonly request: ProviderRequest;
  readonly services: ProviderServices;
}

/** Call of an endpoint by an authenticated caller. */
export interface Call extends OpenCall {
  readonly session: ProviderSession;
}

/** Returns the response to a call; rejects with a {@link Rejection}, or a `Problem` that the provider's errors translate. */
export type Handler = (call: Call) => Promise<ProviderResponse>;

/** As {@link Handler}, for endpoints of {@link openEndpoints}. */
export type OpenHandler = (call: OpenCall) => Promise<ProviderResponse>;

/**
 * Returns a function that makes handlers: a handler calls the function that it is made of with the call and what `read` returns
 * for it, and responds with the result as JSON.
 */
export function handlersWith<Own>(
  read: (call: Call) => Own | Promise<Own>,
): (respond: (call: Call & Own) => unknown) => Handler {
  return (respond) => async (call) => jsonResponse(200, await respond({ ...call, ...(await read(call)) }));
}

/** Permission that an endpoint needs: `read` for those that change nothing. */
export type Need = Parameters<ProviderServices["authenticate"]>[1];

/** Status and description of a successful response. */
export type Success = readonly [status: number, description: string];

/** Settings of a row, which replace those of its table. */
export interface RowSettings extends Partial<Pick<ProviderEndpoint, "body" | "access" | "isSend" | "isAtRoot">> {
  /** `read` for GET, else `send`, by default. */
  readonly need?: Need;
  /** Usual response of a success, or its status; none is documented by default. */
  readonly success?: Success | number;
  /** Another successful response. */
  readonly also?: Success;
}

/** Row: method and path, name of the handler in its module, one sentence for the documentation, and `success` or settings. */
export type Row<Module, Kind = Handler> = readonly [
  line: `${ProviderMethod} ${string}`,
  handler: HandlerName<Module, Kind>,
  summary: string,
  settings?: Success | number | RowSettings,
];

type HandlerName<Module, Kind> = {
  readonly [Name in keyof Module]: Module[Name] extends Kind ? Name : never;
}[keyof Module];

/** Module of the handlers of a table, and settings of all of its rows, or of those with a method. */
export interface Table<Module> extends RowSettings {
  /** Imports the module, on the first request. */
  readonly load: () => Module | Promise<Module>;
  /** Start of the paths of all rows, or each of several; "" by default. */
  readonly base?: string | readonly string[];
  /** Ends with which each path exists, such as `.json`; none by default. */
  readonly endings?: readonly string[];
  /** Reads the API key from the body, or throws a {@link Rejection}; absent: it is that of the header or query string. */
  readonly keyOf?: (request: ProviderRequest) => string;
  readonly byMethod?: Partial<Readonly<Record<ProviderMethod, RowSettings>>>;
}

/** Returns the endpoints of a table, whose handlers get the session of the caller. */
export function endpoints<Module>(table: Table<Module>, rows: readonly Row<Module>[]): readonly ProviderEndpoint[] {
  const { keyOf = ({ key }: ProviderRequest) => key, ...shared } = table;
  return loadedRows<Module, Handler>(shared, rows).map(({ row, need, load }) => {
    let handler: Handler | undefined;
    const respond: ProviderEndpoint["handle"] = async (request, services) => {
      const session = await services.authenticate(keyOf(request), need);
      handler ??= await load();
      return handler({ request, session, services });
    };
    return { ...row, handle: async (request, services) => respond(request, services).catch(responseOf(request)) };
  });
}

/** Returns the endpoints of a table, whose handlers authenticate the caller themselves if they need one. */
export function openEndpoints<Module>(
  table: Table<Module>,
  rows: readonly Row<Module, OpenHandler>[],
): readonly ProviderEndpoint[] {
  return loadedRows<Module, OpenHandler>(table, rows).map(({ row, load }) => ({
    ...row,
    handle: async (request, services) => (await load())({ request, services }).catch(responseOf(request)),
  }));
}

/** Returns a function that returns the response of a rejection, and throws all other errors. */
function responseOf(request: ProviderRequest): (error: unknown) => ProviderResponse {
  return (error) => {
    if (error instanceof Rejection) return error.respond(request);
    throw error;
  };
}

interface LoadedRow<Kind> {
  readonly row: Omit<ProviderEndpoint, "handle">;
  readonly need: Need;
  /** Returns the handler. Each import of a loaded module takes as long as a tenth of composing a mail, so there is one. */
  readonly load: () => Promise<Kind>;
}

function loadedRows<Module, Kind>(
  { load: loadModule, byMethod, base = "", endings = [""], ...shared }: Omit<Table<Module>, "keyOf">,
  rows: readonly Row<Module, Kind>[],
): readonly LoadedRow<Kind>[] {
  let module: Promise<Module> | undefined;
  const paths = [base].flat().flatMap((start) => endings.map((ending) => ({ start, ending })));
  return rows.flatMap(([line, name, summary, own = {}]) => {
    const [method, path] = line.split(" ") as [ProviderMethod, string];
    const settings: RowSettings = {
      ...shared,
      ...byMethod?.[method],
      ...(typeof own === "number" || "length" in own ? { success: own } : own),
    };
    const { need = method === "GET" ? "read" : "send", success, also, ...members } = settings;
    const successes = [success, also].flatMap((one) => (one === undefined ? [] : [successOf(one)]));
    const load = async (): Promise<Kind> => (await (module ??= Promise.resolve(loadModule())))[name] as Kind;
    const row = { method, summary, successes, ...members };
    return paths.map(({ start, ending }) => ({ need, load, row: { ...row, path: `${start}${path}${ending}` } }));
  });
}

function successOf(success: Success | number): ProviderEndpoint["successes"][number] {
  const [status, description] = typeof success === "number" ? [success, `${reasonOf(success)}.`] : success;
  return { status, description };
}
