import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import type { MailQuery } from "../navigation/mail-query.ts";
import { operatorValue, withOperator } from "../navigation/query-text.ts";
import { Field, SelectField } from "../shared/field.tsx";
import layout from "../shared/layout.module.css";
import { strings } from "../strings.ts";
import type { OnSearch } from "./use-search-draft.ts";

interface FilterProps {
  readonly query: MailQuery;
  readonly onSearch: OnSearch;
}

/** Fields for the operators that most searches need, and for the time received. */
export function SearchFilters({ query, onSearch }: FilterProps): ReactElement {
  const labels = strings.list.fields;
  const set = (operator: string) => (value: string) =>
    onSearch({ ...query, q: withOperator(query.q, operator, value) });
  const larger = operatorValue(query.q, "larger");
  const sizes = labels.sizes.some(([value]) => value === larger)
    ? labels.sizes
    : [...labels.sizes, [larger, larger] as const];
  return (
    <div className={clsx(layout.row, layout.wrap)}>
      {(["from", "to"] as const).map((name) => {
        const value = operatorValue(query.q, name);
        // A search that was made elsewhere replaces what was typed here.
        return <TextFilter key={`${name} ${value}`} label={labels[name]} value={value} onCommit={set(name)} />;
      })}
      <Field
        label={labels.after}
        type="datetime-local"
        step={1}
        value={toLocal(query.receivedAfter)}
        onChange={(value) => onSearch({ ...query, receivedAfter: fromLocal(value) })}
      />
      <Field label={labels.before} type="date" value={operatorValue(query.q, "before")} onChange={set("before")} />
      <SelectField label={labels.larger} value={larger} options={sizes} onChange={set("larger")} />
    </div>
  );
}

/** A field whose value is searched for when it is entered or left. */
function TextFilter(props: {
  readonly label: string;
  readonly value: string;
  readonly onCommit: (value: string) => void;
}): ReactElement {
  const { label, value, onCommit } = props;
  const [text, setText] = useState(value);
  const commit = (): void => {
    if (text.trim() !== value) onCommit(text.trim());
  };
  return (
    <Field
      label={label}
      value={text}
      onChange={setText}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }}
    />
  );
}

/** Returns an instant as the value of a `datetime-local` input: local time to the second; "" for none. */
function toLocal(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return "";
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function fromLocal(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString();
}
