import { clsx } from "clsx";
import { useId, type ReactElement, type ReactNode } from "react";
import badgeStyles from "../../shared/badge.module.css";
import layout from "../../shared/layout.module.css";
import tableStyles from "../../shared/table.module.css";
import { Table, Pairs } from "../../shared/table.tsx";

/** Text of a value; lists are joined, and empty values are not shown. */
type Value = string | number | readonly string[] | null;

/** Report with its heading, and the facts that it states. */
export function ReportSection(props: {
  readonly heading: string;
  readonly facts: readonly (readonly [name: string, value: Value])[];
  readonly children?: ReactNode;
}): ReactElement {
  const id = useId();
  const facts = props.facts.map(([name, value]) => [name, textOf(value) || null] as const);
  return (
    <section className={layout.stack} aria-labelledby={id}>
      <h3 id={id} className={layout.anywhere}>
        {props.heading}
      </h3>
      <dl className={tableStyles.pairs}>
        <Pairs pairs={facts} />
      </dl>
      {props.children}
    </section>
  );
}

function textOf(value: Value): string {
  if (typeof value === "number") return value.toLocaleString("en");
  return typeof value === "string" ? value : (value?.join(", ") ?? "");
}

/** Table of a report. The first column names the row. */
export function ReportTable(props: {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ReactNode[])[];
  /** Rows that the report has beyond those that are shown. */
  readonly more: string | null;
}): ReactElement {
  const { label, columns, rows, more } = props;
  return (
    <>
      <Table label={label} heads={columns} className={layout.small}>
        {rows.map(([first, ...others], at) => (
          // oxlint-disable-next-line react/no-array-index-key -- rows have no identity but their position
          <tr key={at}>
            <th scope="row" className={layout.anywhere}>
              {first}
            </th>
            {others.map((cell, column) => (
              <td key={columns[column + 1]} data-label={columns[column + 1]} className={layout.anywhere}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {more !== null && <p className={clsx(layout.faint, layout.small)}>{more}</p>}
    </>
  );
}

/** Result in the colour of its meaning; nothing without one. */
export function Result({ text }: { readonly text: string | null }): ReactElement | null {
  if (text === null) return null;
  return (
    <span className={badgeStyles.badge} data-result={colours[text] ?? "Timeout"}>
      {text}
    </span>
  );
}

const colours: Readonly<Record<string, string>> = {
  pass: "Pass",
  delivered: "Pass",
  fail: "Fail",
  failed: "Fail",
  reject: "Fail",
  quarantine: "Warning",
  delayed: "Warning",
};
