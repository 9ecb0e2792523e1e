import type { MessageExcerpt, Summary, Timing } from "../wire.ts";
import { itemsOf, requestJson } from "./client.ts";
import { readExcerpts } from "./messages.ts";

const messageCount = 1000;
const excerptCount = 100;

/** Newest messages of a server with sizes of the newest hundred and latencies since the start of the service. */
export interface ActivitySample {
  readonly messages: readonly Summary[];
  readonly excerpts: readonly MessageExcerpt[];
  readonly timings: readonly Timing[];
  /** When the sample was taken, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Reads the sample that the charts of a server are drawn from. */
export async function readActivity(server: string): Promise<ActivitySample> {
  const path = `/api/messages?server=${server}&itemsPerPage=${messageCount.toString()}`;
  const messages = itemsOf(await requestJson<readonly Summary[]>(path));
  const excerpts = await readExcerpts(messages.slice(0, excerptCount).map((message) => message.id));
  const timings = await requestJson<readonly Timing[]>(`/web/servers/${server}/timings`);
  return { messages, excerpts, timings, nowMs: Date.now() };
}
