/** Parts of the client: a method for each operation of the API, made from the table of operations. */
import type { Methods } from "./generated/methods.ts";
import { operations, type OperationRow } from "./generated/operations.ts";
import type { RequestOptions } from "./options.ts";
import { fetchPage } from "./page.ts";
import { withMethods } from "./received-message.ts";
import { namesIn, type OperationId, type Transport, type TransportOptions } from "./transport.ts";

/** Part of the API as a property of the client. */
export class Resource {
  protected readonly transport: Transport;

  /** Use the property of the client. */
  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** Returns the method for an operation. `more` returns the options of a request beside those of its caller. */
  protected method<Id extends OperationId>(id: Id, more?: () => TransportOptions): Methods[Id] {
    const row = operations[id];
    const run = async (...given: readonly unknown[]): Promise<unknown> => {
      const { parameters, options } = requestOf(row, given);
      const all = { ...options, ...more?.() };
      if (row.content === "page") return fetchPage(this.transport, { id, parameters, options: all });
      const content = await this.transport.call(id, parameters, all);
      return row.content === "message" ? withMethods(this.transport, content as never) : content;
    };
    return run as unknown as Methods[Id];
  }
}

/** Takes the arguments of a method apart: what the request is about, the body, the query among the options. */
function requestOf(
  row: OperationRow,
  given: readonly unknown[],
): { readonly parameters: never; readonly options: RequestOptions } {
  const rest = [...given];
  const names = namesIn(row.path);
  const subject = names.length > 0 || row.server ? rest.shift() : undefined;
  const body = row.body && { body: rest.shift() ?? {} };
  const { signal, requestTimeout, ...query } = (rest.shift() ?? {}) as RequestOptions;
  const parameters = {
    path: pathOf(names, subject),
    query: { ...query, ...(row.server && { server: subject }) },
    ...body,
  };
  return { parameters: parameters as never, options: { signal, requestTimeout } };
}

/** One id is given alone; of several, that of the server or of the team is called `server` or `team`. */
function pathOf([name = "id", ...others]: readonly string[], subject: unknown): Readonly<Record<string, unknown>> {
  if (others.length === 0) return { [name]: subject };
  const ids = (subject ?? {}) as Readonly<Record<string, unknown>>;
  return { ...ids, [name]: ids["server"] ?? ids["team"] };
}
