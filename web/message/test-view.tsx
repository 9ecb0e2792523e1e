import { clsx } from "clsx";
import { useMemo, useState, type ReactElement } from "react";
import { testSnippets } from "../connect/test-snippets.ts";
import { CodeBox } from "../shared/code-box.tsx";
import layout from "../shared/layout.module.css";
import { Tabs } from "../shared/tabs.tsx";
import { strings } from "../strings.ts";
import type { Message, Session } from "../wire.ts";

/** Tests that wait for this message, one per test framework. */
export function TestView({ message, session }: { readonly message: Message; readonly session: Session }): ReactElement {
  const tests = useMemo(() => testSnippets(message, session), [message, session]);
  const [selected, setSelected] = useState(tests[0]?.name ?? "");
  const shown = tests.find((test) => test.name === selected);
  return (
    <div className={layout.stack}>
      <p className={layout.soft}>{strings.test.lead}</p>
      <Tabs
        label={strings.test.stacks}
        items={tests.map(({ name }) => ({ name, text: name }))}
        selected={selected}
        onSelect={setSelected}
        className={clsx(layout.stack, layout.tight)}
      >
        {shown !== undefined && <CodeBox file={shown.file} code={shown.code} />}
      </Tabs>
    </div>
  );
}
