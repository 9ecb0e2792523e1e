import { clsx } from "clsx";
import { useMemo, type ReactElement } from "react";
import { testSnippets } from "../connect/test-snippets.ts";
import { CodeBox } from "../shared/code-box.tsx";
import layout from "../shared/layout.module.css";
import { useStoredChoice } from "../shared/stored-text.ts";
import { Tabs } from "../shared/tabs.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Message, Session } from "../wire.ts";

/** Tests that wait for this message, one per test framework. */
export function TestView({ message, session }: { readonly message: Message; readonly session: Session }): ReactElement {
  const tests = useMemo(() => testSnippets(message, session), [message, session]);
  const [selected, select] = useStoredChoice(
    "restante.snippet",
    tests.map(({ name }) => name),
  );
  const shown = tests.find((test) => test.name === selected);
  return (
    <div className={layout.stack}>
      <p className={layout.soft}>{pageStrings.test.lead}</p>
      <Tabs
        label={pageStrings.test.stacks}
        items={tests.map(({ name }) => ({ name, text: name }))}
        selected={selected}
        onSelect={select}
        className={clsx(layout.stack, layout.tight)}
      >
        {shown !== undefined && <CodeBox file={shown.file} code={shown.code} />}
      </Tabs>
    </div>
  );
}
