import { useState, type ReactElement } from "react";
import { CopyButton } from "../shared/copy.tsx";
import { strings } from "../strings.ts";
import type { Message } from "../wire.ts";

/** All header fields in order, unfolded and decoded. */
export function HeadersView({ message }: { readonly message: Message }): ReactElement {
  const [filter, setFilter] = useState("");
  const wanted = filter.toLowerCase();
  const fields = message.metadata.headers.filter(({ field, value }) => {
    return field.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted);
  });
  return (
    <div className="stack tight">
      <input
        className="input"
        type="search"
        aria-label={strings.headers.filter}
        placeholder={strings.headers.filter}
        value={filter}
        onChange={(event) => {
          setFilter(event.target.value);
        }}
      />
      <table className="table" aria-label={strings.headers.label}>
        <thead>
          <tr>
            <th scope="col">{strings.headers.name}</th>
            <th scope="col">{strings.headers.value}</th>
            <th aria-hidden />
          </tr>
        </thead>
        <tbody>
          {fields.map(({ field, value }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- fields repeat, and their order is all that tells them apart
            <tr key={at}>
              <td className="mono soft">{field}</td>
              <td style={{ overflowWrap: "anywhere" }}>{value}</td>
              <td className="number">
                <CopyButton text={value} name={field} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
