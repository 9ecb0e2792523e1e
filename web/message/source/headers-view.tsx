import { clsx } from "clsx";
import { useState, type ReactElement } from "react";
import { CopyButton } from "../../shared/copy.tsx";
import fieldStyles from "../../shared/field.module.css";
import layout from "../../shared/layout.module.css";
import { Table } from "../../shared/table.tsx";
import tableStyles from "../../shared/table.module.css";
import { pageStrings } from "../../page-strings.ts";
import type { Message } from "../../wire.ts";

/** Header fields in order, unfolded and decoded, with a filter. */
export function HeadersView({ message }: { readonly message: Message }): ReactElement {
  const [filter, setFilter] = useState("");
  const searched = filter.toLowerCase();
  const fields = message.metadata.headers.filter(({ field, value }) => {
    return field.toLowerCase().includes(searched) || value.toLowerCase().includes(searched);
  });
  return (
    <div className={clsx(layout.stack, layout.tight)}>
      <input
        className={fieldStyles.input}
        type="search"
        aria-label={pageStrings.headers.filter}
        placeholder={pageStrings.headers.filter}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <Table label={pageStrings.headers.label} heads={[pageStrings.headers.name, pageStrings.headers.value, ""]}>
        {fields.map(({ field, value }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- fields repeat; only their position identifies them
          <tr key={at}>
            <td className={clsx(layout.mono, layout.soft)}>{field}</td>
            <td className={layout.anywhere}>{value}</td>
            <td className={tableStyles.number}>
              <CopyButton text={value} name={field} />
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
