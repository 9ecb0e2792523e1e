/** Searches of tools. */
import type { SearchExplanation } from "../core/search-explanation.ts";
import type { Message, Summary } from "../core/message.ts";
import type { Arguments } from "./arguments.ts";
import type { ApiResponse } from "./api.ts";
import { messageCountDefault, progressMs } from "./bounds.ts";
import { type ApiCaller, callJson, ToolError, itemsOf, type Listed, serverOf } from "./call-api.ts";
import { fenceJson } from "./fence.ts";
import type { ToolCall } from "./tool.ts";
import { countMessages, fitting, summaryView } from "./view.ts";

/** Result of a search with an explanation, or of a failed assertion. */
export interface SearchResult {
  readonly items?: readonly Summary[];
  /** Messages of a failed assertion. */
  readonly messages?: readonly Summary[];
  readonly explanation?: SearchExplanation | null;
}

/** Returns the criteria of a call; undefined without any. */
export function criteriaOf(args: Arguments): Readonly<Record<string, string>> | undefined {
  const names = ["sentTo", "sentFrom", "subject", "body"].filter((name) => args.text(name) !== undefined);
  if (names.length === 0) return undefined;
  return Object.fromEntries([...names, "match"].map((name) => [name, args.text(name) ?? ""]));
}

/** Returns the criteria of a call; throws a {@link ToolError} without any. */
export function requireCriteria(args: Arguments): Readonly<Record<string, string>> {
  const criteria = criteriaOf(args);
  if (criteria !== undefined) return criteria;
  throw new ToolError("Give at least one criterion: sentTo, sentFrom, subject or body. list_messages lists all.");
}

/** Returns the query parameters of a page and its bounds in time. */
export function pageQuery(args: Arguments): Readonly<Record<string, string | undefined>> {
  return {
    receivedAfter: args.text("receivedAfter"),
    after: args.integer("after")?.toString(),
    dir: args.text("dir"),
    before: args.text("before"),
    itemsPerPage: String(args.integer("limit") ?? messageCountDefault),
  };
}

/** Searches the server of a call by its criteria; `accepted` as for `callApi`. */
export async function search<Result = SearchResult>(
  call: ToolCall,
  query: Readonly<Record<string, string | undefined>>,
  accepted: readonly number[] = [],
): Promise<{ readonly value: Result; readonly response: ApiResponse; readonly server: string }> {
  const criteria = requireCriteria(call.args);
  const server = await serverOf(call);
  const request = { method: "POST" as const, path: "/api/messages/search", body: criteria };
  const found = await callJson<Result>(
    call,
    { ...request, query: { server, ...pageQuery(call.args), ...query } },
    accepted,
  );
  return { ...found, server };
}

/** Runs a wait, and reports progress until it ends. */
export async function waitWithProgress<Result>(
  { clock, report }: ToolCall,
  timeoutMs: number,
  wait: () => Promise<Result>,
): Promise<Result> {
  const startedAt = clock.monotonicMs();
  const tick = (): (() => void) => {
    const done = Math.min(timeoutMs, Math.round(clock.monotonicMs() - startedAt));
    report({ done, total: timeoutMs, text: `Waiting: ${String(Math.round(done / 1000))} s` });
    return clock.after(progressMs, () => {
      stop = tick();
    });
  };
  let stop = tick();
  try {
    return await wait();
  } finally {
    stop();
  }
}

/** Returns the message of a call: the one with its `id`, or the newest one that matches its criteria. */
export async function messageOf(call: ToolCall): Promise<Message> {
  const id = call.args.text("id");
  if (id !== undefined) return getMessage(call, id);
  if (criteriaOf(call.args) === undefined) {
    throw new ToolError("Give the id of a message, or criteria (sentTo, sentFrom, subject, body) to find it.");
  }
  const timeoutMs = call.args.integer("timeoutMs") ?? 0;
  const query = { itemsPerPage: "1", timeout: String(timeoutMs), explain: "true" };
  const { value } = await waitWithProgress(call, timeoutMs, async () => search(call, query));
  const [newest] = value.items ?? [];
  if (newest === undefined) throw noMatch(value.explanation ?? null, timeoutMs);
  return getMessage(call, newest.id);
}

/** Returns a message by its id. */
export async function getMessage(caller: ApiCaller, id: string): Promise<Message> {
  const path = `/api/messages/${encodeURIComponent(id)}`;
  return (await callJson<Message>(caller, { method: "GET", path })).value;
}

/** Returns the error of a search without a match, with the reasons. */
export function noMatch(explanation: SearchExplanation | null, waitedMs: number): ToolError {
  const waited = waitedMs === 0 ? "" : ` within ${String(waitedMs)} ms`;
  return new ToolError(
    `No message matches${waited}. The explanation names the nearest messages and the criteria that they fail: correct the criteria (explain_no_match compares again), trigger the mail again, or wait longer with timeoutMs. If nothing arrived at all, check that the application sends to this service and to an address of this server.`,
    { fenced: explanation === null ? null : fenceJson(explanation) },
  );
}

/** Returns the result of a list: what the model may trust, and the fenced messages. */
export function listText(found: Listed<Summary>, { headers }: Pick<ApiResponse, "headers">, empty: string): string {
  const messages = itemsOf(found);
  const { shown, hasMore } = fitting(messages.map(summaryView));
  const total = headers["x-total-count"];
  const cursor = headers["x-cursor"];
  const last = messages[shown.length - 1]?.id;
  const isCut = hasMore || headers["link"]?.includes('rel="next"') === true;
  const facts = [
    shown.length === 0 ? empty : `${countMessages(shown.length)}, newest first.`,
    ...(total === undefined || !isCut ? [] : [`${total} in all.`]),
    ...(isCut && last !== undefined ? [`For older ones, call again with before=${last}.`] : []),
    ...(cursor === undefined ? [] : [`Cursor: ${cursor} (pass it as after, to see only later messages).`]),
  ].join(" ");
  return shown.length === 0 ? facts : `${facts}\n\n${fenceJson(shown)}`;
}
