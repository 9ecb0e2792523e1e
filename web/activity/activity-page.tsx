import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import type { ReactElement, ReactNode } from "react";
import { itemsOf, requestJson } from "../api/client.ts";
import { readExcerpts } from "../api/messages.ts";
import { queryKeys } from "../api/query-keys.ts";
import { pageStrings } from "../page-strings.ts";
import { formatDay, formatDuration } from "../shared/format.ts";
import layout from "../shared/layout.module.css";
import { ErrorNotice } from "../shared/notice.tsx";
import pageStyles from "../shared/page.module.css";
import { Page } from "../shared/page.tsx";
import { strings } from "../strings.ts";
import type { MessageExcerpt, Session, Summary, Timing } from "../wire.ts";
import styles from "./activity.module.css";
import { countByClass, type Ranked, receivedOverTime, spreadOf, topContacts } from "./statistics.ts";

const labels = pageStrings.activity;

/** Upper bounds of the classes, in milliseconds. */
const bounds = [1, 2, 5, 10, 20, 50, 100, 1000];
const steps = ["storedMs", "toldMs"] as const;

/** Latencies of emails: until the 250 reply, and until a waiter was notified. */
function LatencyChart({ timings }: { readonly timings: readonly Timing[] }): ReactElement {
  return (
    <Chart title={labels.latency} hint={labels.latencyLead(timings.length)} isWide>
      <div className={styles.latency}>
        {steps.map((step) => (
          <Step key={step} step={step} durations={timings.flatMap((timing) => timing[step] ?? [])} />
        ))}
      </div>
    </Chart>
  );
}

function Step(props: { readonly step: (typeof steps)[number]; readonly durations: readonly number[] }): ReactElement {
  const { step, durations } = props;
  const [title, meaning] = labels.latencySteps[step];
  const spread = spreadOf(durations);
  return (
    <section className={clsx(layout.stack, layout.tight)}>
      <h3>{title}</h3>
      <p className={clsx(layout.faint, layout.small)}>{meaning}</p>
      {spread === null ? (
        <p className={layout.soft}>{labels.noLatency}</p>
      ) : (
        <>
          <p className={styles.latencyMedian}>
            <b>{formatDuration(spread.median)}</b> <span className={layout.faint}>{labels.median}</span>
          </p>
          <Bars durations={durations} />
          <p className={clsx(layout.faint, layout.small)}>
            {labels.p95} {formatDuration(spread.p95)} · {labels.max} {formatDuration(spread.max)} ·{" "}
            {labels.sampleSize(spread.count)}
          </p>
        </>
      )}
    </section>
  );
}

function Bars({ durations }: { readonly durations: readonly number[] }): ReactElement {
  const bars = countByClass(durations, bounds).map((count, at) => {
    const name = labels.latencyClasses[at] ?? "";
    return { key: name, count, text: labels.latencyBar(count, name) };
  });
  return <Histogram bars={bars} isLow />;
}

/** Columns whose heights are counts. */
function Histogram(props: {
  readonly bars: readonly { readonly key: string; readonly count: number; readonly text: string }[];
  readonly isLow?: boolean;
}): ReactElement {
  const { bars, isLow = false } = props;
  const most = Math.max(...bars.map(({ count }) => count), 1);
  return (
    <ol className={clsx(styles.bars, isLow && styles.low)}>
      {bars.map(({ key, count, text }) => (
        <li key={key} title={text} data-empty={count === 0} style={{ height: `${((count / most) * 100).toString()}%` }}>
          {count > 0 && <span className={layout.visuallyHidden}>{text}</span>}
        </li>
      ))}
    </ol>
  );
}

/** A chart with its title, and a hint beside it. */
function Chart(props: {
  readonly title: string;
  readonly hint?: string | undefined;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}): ReactElement {
  const { title, hint, isWide = false, children } = props;
  return (
    <figure className={clsx(pageStyles.panel, layout.stack, isWide && styles.wide)}>
      <figcaption className={clsx(layout.row, layout.wrap)}>
        <h2>{title}</h2>
        {hint !== undefined && <span className={clsx(layout.faint, layout.small, layout.push)}>{hint}</span>}
      </figcaption>
      {children}
    </figure>
  );
}

const rankedMax = 8;
/** Upper bounds of the size classes, in bytes. */
const sizeBounds = [4e3, 16e3, 64e3, 256e3, 1e6];

/** Charts of a server's newest messages, updated live. */
export function ActivityPage({ server }: { readonly session: Session; readonly server: string }): ReactElement {
  const { data, error } = useQuery({
    queryKey: queryKeys.activity(server),
    queryFn: async () => readActivity(server),
  });
  const count = data?.messages.length;
  const lead = count === undefined ? undefined : count === 0 ? labels.none : labels.lead(count);
  return (
    <Page title={labels.title} lead={lead}>
      {error !== null && <ErrorNotice error={error} />}
      {data !== undefined && data.messages.length > 0 && <Charts sample={data} />}
    </Page>
  );
}

function Charts({ sample }: { readonly sample: ActivitySample }): ReactElement {
  const { messages, excerpts, timings } = sample;
  const sizes = countByClass(
    excerpts.map((excerpt) => excerpt.sizeBytes),
    sizeBounds,
  );
  const senders = messages.map((message) => message.from);
  const recipients = messages.map((message) => message.to);
  return (
    <div className={styles.charts}>
      <ReceivedChart sample={sample} />
      {timings.length > 0 && <LatencyChart timings={timings} />}
      <RankChart title={labels.senders} ranked={topContacts(senders, rankedMax)} />
      <RankChart title={labels.recipients} ranked={topContacts(recipients, rankedMax)} />
      <RankChart
        title={labels.sizes}
        hint={labels.sizesHint(excerpts.length)}
        ranked={sizes.map((each, at) => ({ name: labels.sizeClasses[at] ?? "", count: each }))}
      />
    </div>
  );
}

function ReceivedChart({ sample }: { readonly sample: ActivitySample }): ReactElement {
  const { stepMs, buckets } = receivedOverTime(sample.messages, sample.nowMs);
  const bars = buckets.map(({ startMs, count }) => {
    return { key: String(startMs), count, text: labels.bucket(count, dayOf(startMs)) };
  });
  return (
    <Chart title={labels.arrivals} hint={labels.arrivalsHint(formatStep(stepMs))} isWide>
      <Histogram bars={bars} />
      <div className={clsx(layout.row, layout.faint, layout.small)}>
        <span>{dayOf(buckets[0]?.startMs ?? 0)}</span>
        <span className={layout.push}>{dayOf(sample.nowMs)}</span>
      </div>
    </Chart>
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
    <Chart title={title} hint={hint}>
      <ol className={styles.rank}>
        {ranked.map(({ name, count }) => (
          <li key={name}>
            <div className={styles.share} style={{ width: `${((count / most) * 100).toString()}%` }} />
            <span className={layout.clip}>{name}</span>
            <span>{count.toLocaleString("en")}</span>
          </li>
        ))}
      </ol>
    </Chart>
  );
}

function dayOf(ms: number): string {
  return formatDay(new Date(ms).toISOString());
}

function formatStep(stepMs: number): string {
  const seconds = stepMs / 1000;
  if (seconds < 60) return strings.time.seconds(seconds);
  return seconds < 3600 ? `${(seconds / 60).toString()} min` : `${(seconds / 3600).toString()} h`;
}

const messageCount = 1000;
const excerptCount = 100;

/** Newest messages of a server with sizes of the newest hundred and latencies since the start of the service. */
interface ActivitySample {
  readonly messages: readonly Summary[];
  readonly excerpts: readonly MessageExcerpt[];
  readonly timings: readonly Timing[];
  /** When the sample was taken, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Reads the sample that the charts of a server are drawn from. */
async function readActivity(server: string): Promise<ActivitySample> {
  const path = `/api/messages?server=${server}&itemsPerPage=${messageCount.toString()}`;
  const messages = itemsOf(await requestJson<readonly Summary[]>(path));
  const excerpts = await readExcerpts(messages.slice(0, excerptCount).map((message) => message.id));
  const timings = await requestJson<readonly Timing[]>(`/web/servers/${server}/timings`);
  return { messages, excerpts, timings, nowMs: Date.now() };
}
