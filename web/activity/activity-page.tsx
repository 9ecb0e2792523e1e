import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { requestJson, itemsOf } from "../api/client.ts";
import { pagesKey, readExcerpts } from "../api/messages.ts";
import { formatDay } from "../shared/format.ts";
import { ErrorNotice } from "../shared/error-notice.tsx";
import { strings } from "../strings.ts";
import type { MessageExcerpt, Session, Summary, Timing } from "../wire.ts";
import { LatencyChart } from "./latency-chart.tsx";
import { arrivals, sizeClasses, topContacts, type Ranked } from "./statistics.ts";

const readCount = 1000;
const sizedCount = 100;
const rankedCount = 8;
const sizeBounds = [4e3, 16e3, 64e3, 256e3, 1e6];

interface ActivitySample {
  readonly messages: readonly Summary[];
  readonly excerpts: readonly MessageExcerpt[];
  readonly timings: readonly Timing[];
  readonly nowMs: number;
}

/** What a server's newest messages look like from afar; live. */
export function ActivityPage({ server }: { readonly session: Session; readonly server: string }): ReactElement {
  const { data, error } = useQuery({
    queryKey: [...pagesKey(server), "pictures"],
    queryFn: async () => readActivity(server),
  });
  const words = strings.pictures;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard
    <main className="page" id="content" tabIndex={0}>
      <div className="page-inner">
        <div className="stack tight">
          <h1>{words.title}</h1>
          {data !== undefined && (
            <p className="soft">{data.messages.length === 0 ? words.none : words.lead(data.messages.length)}</p>
          )}
        </div>
        {error !== null && <ErrorNotice error={error} />}
        {data !== undefined && data.messages.length > 0 && <Charts data={data} />}
      </div>
    </main>
  );
}

function Charts({ data }: { readonly data: ActivitySample }): ReactElement {
  const { messages, excerpts } = data;
  const words = strings.pictures;
  const sizes = sizeClasses(
    excerpts.map((excerpt) => excerpt.sizeBytes),
    sizeBounds,
  );
  return (
    <div className="charts">
      <ArrivalChart data={data} />
      {data.timings.length > 0 && <LatencyChart timings={data.timings} />}
      <RankChart
        title={words.senders}
        ranked={topContacts(
          messages.map((message) => message.from),
          rankedCount,
        )}
      />
      <RankChart
        title={words.recipients}
        ranked={topContacts(
          messages.map((message) => message.to),
          rankedCount,
        )}
      />
      <RankChart
        title={words.sizes}
        hint={words.sizesHint(excerpts.length)}
        ranked={sizes.map((count, at) => ({ name: words.sizeClasses[at] ?? "", count }))}
      />
    </div>
  );
}

function ArrivalChart({ data }: { readonly data: ActivitySample }): ReactElement {
  const { stepMs, buckets } = arrivals(data.messages, data.nowMs);
  const most = Math.max(...buckets.map((bucket) => bucket.count), 1);
  const words = strings.pictures;
  return (
    <figure className="panel stack wide">
      <figcaption className="row">
        <h2>{words.arrivals}</h2>
        <span className="faint small push">{words.arrivalsHint(spanOf(stepMs))}</span>
      </figcaption>
      <ol className="bars">
        {buckets.map(({ startMs, count }) => {
          const text = words.bucket(count, formatDay(new Date(startMs).toISOString()));
          return (
            <li
              key={startMs}
              title={text}
              data-empty={count === 0}
              style={{ height: `${((count / most) * 100).toString()}%` }}
            >
              {count > 0 && <span className="visually-hidden">{text}</span>}
            </li>
          );
        })}
      </ol>
      <div className="row faint small">
        <span>{formatDay(new Date(buckets[0]?.startMs ?? 0).toISOString())}</span>
        <span className="push">{formatDay(new Date(data.nowMs).toISOString())}</span>
      </div>
    </figure>
  );
}

function RankChart(props: {
  readonly title: string;
  readonly ranked: readonly Ranked[];
  readonly hint?: string;
}): ReactElement {
  const { title, ranked, hint } = props;
  const most = Math.max(...ranked.map(({ count }) => count), 1);
  return (
    <figure className="panel stack">
      <figcaption className="row">
        <h2>{title}</h2>
        {hint !== undefined && <span className="faint small push">{hint}</span>}
      </figcaption>
      <ol className="rank">
        {ranked.map(({ name, count }) => (
          <li key={name}>
            <div className="share" style={{ width: `${((count / most) * 100).toString()}%` }} />
            <span className="clip">{name}</span>
            <span>{count.toLocaleString("en")}</span>
          </li>
        ))}
      </ol>
    </figure>
  );
}

async function readActivity(server: string): Promise<ActivitySample> {
  const path = `/api/messages?server=${server}&itemsPerPage=${readCount.toString()}`;
  const messages = itemsOf(await requestJson<readonly Summary[]>(path));
  const excerpts = await readExcerpts(messages.slice(0, sizedCount).map((message) => message.id));
  const timings = await requestJson<readonly Timing[]>(`/web/servers/${server}/timings`);
  return { messages, excerpts, timings, nowMs: Date.now() };
}

function spanOf(stepMs: number): string {
  const seconds = stepMs / 1000;
  if (seconds < 60) return strings.time.seconds(seconds);
  return seconds < 3600 ? `${(seconds / 60).toString()} min` : `${(seconds / 3600).toString()} h`;
}
