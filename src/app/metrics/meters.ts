import { Counter, Gauge, Histogram, Registry } from "prom-client";

/** Adds to a metric, 1 by default, in the series with these labels. */
type Meter<Name extends string> = (labels: Readonly<Record<Name, string>>, by?: number) => void;

/** Metric that is read at every scrape. */
interface Sample {
  readonly name: string;
  readonly help: string;
  /** Label of the series; absent for a metric with one value. */
  readonly label?: string;
  /** Whether it is a counter; a gauge by default. */
  readonly isCounter?: boolean;
  /** Returns the value, or those of the series by their label. */
  readonly read: () => number | ReadonlyMap<string, number>;
}

/** Makes metrics in a registry of its own. The only file that knows the library. */
export class Meters {
  readonly registry: Registry = new Registry();

  /** Makes a counter. */
  count<Name extends string>(name: string, help: string, ...labelNames: Name[]): Meter<Name> {
    const counter = new Counter({ name, help, labelNames, registers: [this.registry] });
    return (labels, by) => counter.inc({ ...labels }, by);
  }

  /** Makes a gauge, from which negative numbers subtract. */
  gauge<Name extends string>(name: string, help: string, ...labelNames: Name[]): Meter<Name> {
    const gauge = new Gauge({ name, help, labelNames, registers: [this.registry] });
    return (labels, by) => gauge.inc({ ...labels }, by);
  }

  /** Makes a histogram of seconds, which is given milliseconds. */
  time<Name extends string>(
    name: string,
    help: string,
    { labelNames, buckets }: { readonly labelNames: Name[]; readonly buckets: number[] },
  ): (labels: Readonly<Record<Name, string>>, durationMs: number) => void {
    const histogram = new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
    return (labels, durationMs) => histogram.observe({ ...labels }, durationMs / 1000);
  }

  /** Makes a metric that is read at every scrape. */
  sample({ name, help, label, isCounter = false, read }: Sample): void {
    const collect = (): void => {
      metric.reset();
      const value = read();
      if (typeof value === "number") metric.inc(value);
      else for (const [series, one] of value) metric.inc({ [label ?? ""]: series }, one);
    };
    const labelNames = label === undefined ? [] : [label];
    const definition = { name, help, labelNames, registers: [this.registry], collect };
    const metric = (isCounter ? new Counter(definition) : new Gauge(definition)) as Gauge;
  }
}
